"""The classic shapes of the plane under every system: rows to draw a picture from, and the picture.

The sets are those of scikit-learn's own comparison of clusterers, with its seeds: none of them was chosen
here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.datasets import make_blobs, make_circles, make_moons

from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation.scores import score_partition
from abclust.experiments.circle_evaluation import timed
from abclust.experiments.vector_rows import Row
from abclust.experiments.vector_systems import OURS, VectorSystem
from abclust.figures.style import save_figure
from abclust.figures.vector_figures import ShapePanel, draw_shape_comparison
from abclust.foundations.errors import FileFormatError

SHAPES = "shapes"
"""The field ``data`` of these rows."""
TRUTH = "true clusters"
SHOWN = {
    (TRUTH, "known"): TRUTH,
    (OURS, "unknown"): "abclust\nvectors",
    ("k-means, k by silhouette", "unknown"): "k-means,\nk by silhouette",
    ("HDBSCAN, noise as singletons", "unknown"): "HDBSCAN\n(noise grey)",
    ("k-means", "known"): "k-means,\ntold k",
    ("Gaussian mixture", "known"): "Gaussian\nmixture, told k",
    ("agglomerative", "known"): "agglomerative,\ntold k",
    ("spectral", "known"): "spectral,\ntold k",
}
"""(system, k) of the rows of the picture, and what stands beside them."""


def classic_shapes(n_points: int = 500) -> list[LabelledSet]:
    """Circles, moons, blobs of three kinds and a square without clusters.

    Examples
    --------
    >>> [(each.name, each.n_clusters) for each in classic_shapes(30)][-1]
    ('no structure', 1)
    """
    seed, other_seed = 30, 170  # scikit-learn's
    varied: Any = [1.0, 2.5, 0.5]
    bent = np.array([[0.6, -0.6], [-0.4, 0.8]])
    leaning, of_leaning = make_blobs(n_points, random_state=other_seed)[:2]
    drawn: dict[str, Any] = {
        "circles": make_circles(n_points, factor=0.5, noise=0.05, random_state=seed),
        "moons": make_moons(n_points, noise=0.05, random_state=seed),
        "varied": make_blobs(n_points, cluster_std=varied, random_state=other_seed)[:2],
        "anisotropic": (leaning @ bent, of_leaning),
        "blobs": make_blobs(n_points, random_state=seed)[:2],
        "no structure": (np.random.RandomState(seed).rand(n_points, 2), np.zeros(n_points, int)),
    }
    return [LabelledSet(points, labels, name=name) for name, (points, labels) in drawn.items()]


def shape_rows(systems: Sequence[VectorSystem], shapes: Sequence[LabelledSet]) -> list[Row]:
    """A row for each system and shape with its labels, and the truth first.

    Who is told that there is one cluster has nothing to do: those rows are left out.
    """
    rows: list[Row] = []
    for shape in shapes:
        truth = {"points": _text(shape.items.ravel().round(4)), "labels": _text(shape.labels)}
        rows.append({"data": SHAPES, "system": TRUTH, "k": "known", "protocol": shape.name, **truth})
        for system in systems:
            told = shape.n_clusters if system.is_told_k else None
            if told == 1:
                continue
            labels, seconds = timed(lambda: system.cluster(shape.items, told))  # noqa: B023 - called at once
            rows.append(
                {
                    "data": SHAPES,
                    "system": system.name,
                    "k": "known" if system.is_told_k else "unknown",
                    "protocol": shape.name,
                    "n_sets": 1,
                    **score_partition(shape.labels, labels).as_dict(),
                    "seconds_per_set": seconds,
                    "interval": None,
                    "labels": _text(labels),
                }
            )
    return rows


def draw_shapes(rows: Sequence[Row], path: Path) -> None:
    """Draw the picture from rows alone: systems below each other, shapes side by side.

    Raises
    ------
    FileFormatError
        If the rows are not those of :func:`shape_rows`.
    """
    found = {(row["system"], row["k"], row["protocol"]): row for row in rows if row.get("data") == SHAPES}
    names = [protocol for system, _, protocol in found if system == TRUTH]
    try:
        points = {name: _numbers(found[TRUTH, "known", name]["points"]).reshape(-1, 2) for name in names}
        true = {name: _integers(found[TRUTH, "known", name]["labels"]) for name in names}
        panels = [
            [_panel(found.get((*key, name)), points[name], true[name]) for name in names] for key in SHOWN
        ]
    except (KeyError, ValueError) as error:
        raise FileFormatError(f"rows of shapes must hold points and labels. Got {error}.") from error
    ours = SHOWN[OURS, "unknown"]
    save_figure(draw_shape_comparison(list(SHOWN.values()), names, panels, highlighted=ours), path)


def _panel(
    row: Row | None, points: Float[np.ndarray, "n 2"], true_labels: Int[np.ndarray, " n"]
) -> ShapePanel | None:
    if row is None:
        return None
    return ShapePanel(points, _integers(row["labels"]), true_labels, row.get("ari"))


def _text(values: Any) -> str:
    """Numbers in one line: a results file with one in each line would be thirty thousand long."""
    return " ".join(str(value) for value in values.tolist())


def _numbers(text: str) -> Float[np.ndarray, " N"]:
    return np.array(text.split(), dtype=np.float64)


def _integers(text: str) -> Int[np.ndarray, " n"]:
    return np.array(text.split(), dtype=np.int64)
