"""Tell the clusterer what you know: some pairs that belong together, some that do not.

Run: python examples/constraints.py
"""

import numpy as np

import abclust
from abclust.evaluation import ari

# Points on five overlapping circles with some noise: hard enough for the network to make mistakes.
(points,) = abclust.datasets.circles(n_points=80, n_circles=5, noise=0.02, seed=3)
clusterer = abclust.AttentionClustering("circles").fit(points.items)
print(f"alone: {clusterer.n_clusters_} clusters, score {ari(points.labels, clusterer.labels_):.2f}")

# Someone takes the ten items that the clusterer is least sure of and compares each with the surest item of
# every cluster. Here the truth answers in their place.
labels, confidence = clusterer.labels_, clusterer.confidence_
surest = [
    max(np.flatnonzero(labels == cluster), key=lambda item: confidence[item])
    for cluster in range(clusterer.n_clusters_)
]
pairs = [(item, other) for item in np.argsort(confidence)[:10] for other in surest if item != other]
answers = [points.labels[item] == points.labels[other] for item, other in pairs]

clusterer.fit(
    points.items,
    must_link=[pair for pair, together in zip(pairs, answers) if together],
    cannot_link=[pair for pair, together in zip(pairs, answers) if not together],
)
print(
    f"with {len(pairs)} answers: {clusterer.n_clusters_} clusters, "
    f"score {ari(points.labels, clusterer.labels_):.2f}"
)
