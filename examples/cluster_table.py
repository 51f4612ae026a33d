"""Cluster the rows of a table with no training and no settings: a data frame in, a CSV and a picture out.

Run: python examples/cluster_table.py [FOLDER]
"""

import sys
from pathlib import Path

from sklearn.datasets import load_iris

import abclust
from abclust.evaluation import ari

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# Lengths and widths of 150 irises of three species. The weights have never seen a flower.
flowers = load_iris(as_frame=True)
table = flowers.data.rename(columns=lambda name: name.removesuffix(" (cm)"))

clusterer = abclust.AttentionClustering(random_state=0).fit(table)
lowest, highest = clusterer.partition_.n_clusters_interval(0.9)
print(f"{len(table)} rows in {clusterer.n_clusters_} clusters (90 % sure of {lowest} to {highest})")
print(f"adjusted Rand score against the species: {ari(flowers.target, clusterer.labels_):.2f}")

# Rows that sit between two clusters are worth a look.
table["cluster"], table["confidence"] = clusterer.labels_, clusterer.confidence_
print("least certain rows:")
print(table.sort_values("confidence").head(3).round(2).to_string())

table.to_csv(folder / "clusters.csv", index=False)
clusterer.plot("Irises").savefig(folder / "clusters.png")
print(f"written: {folder / 'clusters.csv'}, {folder / 'clusters.png'}")
