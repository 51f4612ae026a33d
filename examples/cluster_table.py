"""Cluster the rows of a table: a data frame in, a CSV with clusters and a picture out.

Run: python examples/cluster_table.py [FOLDER]
"""

import sys
from pathlib import Path

import pandas as pd

import abclust
from abclust.evaluation import ari

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# Points on four overlapping circles; any table will do that the weights were made for.
(points,) = abclust.datasets.circles(n_points=100, n_circles=4, seed=2)
table = pd.DataFrame(points.items, columns=["x", "y"])

clusterer = abclust.AttentionClustering("circles", random_state=0).fit(table)
lowest, highest = clusterer.partition_.n_clusters_interval(0.9)
print(f"{len(table)} rows in {clusterer.n_clusters_} clusters (90 % sure of {lowest} to {highest})")
print(f"adjusted Rand score against the truth: {ari(points.labels, clusterer.labels_):.2f}")

# Rows that sit between two clusters are worth a look.
table["cluster"], table["confidence"] = clusterer.labels_, clusterer.confidence_
print("least certain rows:")
print(table.sort_values("confidence").head(3).round(2).to_string())

table.to_csv(folder / "clusters.csv", index=False)
clusterer.plot("Four circles").savefig(folder / "clusters.png")
print(f"written: {folder / 'clusters.csv'}, {folder / 'clusters.png'}")
