"""From a kernel to clusters: labels, the number of clusters, and how sure both are.

The two front doors are :func:`abclust.clustering.backends.cluster_kernel` and
:func:`abclust.clustering.backends.partition_kernel`. Arrays go in and arrays come out; nothing here knows a
network.
"""
