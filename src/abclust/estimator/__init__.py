"""From anything that is a set of items to its clusters: the scikit-learn estimator and its functional core.

:class:`abclust.estimator.attention_clustering.AttentionClustering` keeps scikit-learn's contract;
:class:`abclust.estimator.set_clusterer.SetClusterer` does the work, one set or thousands at a time.
"""
