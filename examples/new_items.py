"""New items join the clusters that there are, or open new ones; ids that were given stay as they are.

Run: python examples/new_items.py
"""

import numpy as np

import abclust

# Four circles. On Monday there are only points of three of them.
(points,) = abclust.datasets.circles(n_points=240, n_circles=4, seed=11)
is_monday = (points.labels < 3) & (np.arange(240) % 3 > 0)
monday, tuesday = points.items[is_monday], points.items[~is_monday]

clusterer = abclust.AttentionClustering("circles").fit(monday)
print(f"Monday: {len(monday)} points in {clusterer.n_clusters_} clusters")

# On Tuesday more points of these circles come, and the first ones of a fourth.
labels = clusterer.predict(tuesday)
is_known = points.labels[~is_monday] < 3
n_joined = int((labels < clusterer.n_clusters_).sum())
print(f"Tuesday: {n_joined} of {len(tuesday)} points join clusters of Monday, the others open new ones")
print(f"  known circles: {np.mean(labels[is_known] < clusterer.n_clusters_):.0%} join")
print(f"  the new circle: {np.mean(labels[~is_known] >= clusterer.n_clusters_):.0%} in new clusters")

# `predict` forgets, `extend` remembers: from now on the new clusters have their ids too.
before = clusterer.labels_.copy()
clusterer.extend(tuesday)
print(f"All: {len(clusterer.labels_)} points in {clusterer.n_clusters_} clusters")
print("Monday's ids are unchanged:", bool((clusterer.labels_[: len(before)] == before).all()))
