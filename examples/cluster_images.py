"""Cluster handwritten digits by weights that never saw a digit, without saying how many kinds there are.

Run: python examples/cluster_images.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import abclust
from abclust.evaluation import ari

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
digits = load_digits()  # 1,797 images of 8 x 8 pixels; the weights learnt from alphabets of 28 x 28
images, truth = (digits.images / 16)[::12], digits.target[::12]

# Arrays, PIL images and paths all work; the weights' header says how images are framed.
clusterer = abclust.AttentionClustering("omniglot", random_state=0).fit(images)
print(f"{len(images)} images in {clusterer.n_clusters_} clusters; there are {len(np.unique(truth))} digits")
print(f"adjusted Rand score against the truth: {ari(truth, clusterer.labels_):.2f}")
for cluster in np.argsort(-np.bincount(clusterer.labels_))[:5]:
    members = truth[clusterer.labels_ == cluster]
    print(f"  cluster {cluster}: {len(members)} images, digits {' '.join(map(str, members[:20]))}")
clusterer.plot("Handwritten digits").savefig(folder / "digits.png")

# Many sets in one batched call, each with its own number of clusters.
sets = abclust.InstanceSampler(
    (digits.images / 16, digits.target), length=100, n_clusters=(2, 10), n_instances=5, seed=1
)
sets = list(sets)
labels = clusterer.fit_many(sets)
scores = [ari(each.labels, found) for each, found in zip(sets, labels)]
print(f"adjusted Rand score, mean of {len(sets)} sets: {np.mean(scores):.2f}")
