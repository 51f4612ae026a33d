"""The circles playground: points on circles that a person moves, as three systems see them.

The systems are those of the paper's Figure 1: the network with context, the pairwise network by the eigengap
of its kernel as there, and spectral clustering of the points themselves, which alone is told the number of
circles.
"""

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.default_method import DEFAULT_METHOD
from abclust.datasets.labelled_set import canonical_labels
from abclust.estimator.clustered_set import SetFailure
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.scores import ari
from abclust.experiments.demonstration import spectral
from abclust.foundations.random_state import as_generator
from abclust.web.tasks import CircleTask, Progress
from abclust.zoo.loading import load

ABC, PAIRWISE, SPECTRAL = "ABC", "pairwise", "spectral"
"""What the page calls the systems."""


def cluster_circles(task: CircleTask, tell: Callable[[Progress], Any]) -> dict[str, Any]:
    """Draw the points and cluster them by each system: plain values for JSON."""
    points, truth = points_on_circles(task)
    n_circles = len(task.circles)
    # (ours) Figure 1 has both forms of ABC; here stand the best network and the one without context.
    systems: dict[str, Callable[[], Int[np.ndarray, " n"]]] = {
        ABC: lambda: _network_labels("circles", DEFAULT_METHOD, points),
        PAIRWISE: lambda: _network_labels("circles-pairwise-mul", "spectral", points),
        SPECTRAL: lambda: _spectral_labels(points, n_circles),
    }
    told = []
    for number, (name, cluster) in enumerate(systems.items()):
        tell(Progress("clustering", number, len(systems)))
        labels = cluster()
        score = ari(truth, labels)
        told.append(
            {"name": name, "labels": labels.tolist(), "n_clusters": int(labels.max()) + 1, "ari": score}
        )
    return {"points": points.round(6).tolist(), "truth": truth.tolist(), "systems": told}


def points_on_circles(task: CircleTask) -> tuple[Float[np.ndarray, "n 2"], Int[np.ndarray, " n"]]:
    """The m points of a circle one in each of m equal arcs, uniform within it, as the sets of training have
    them; and the circle of each point."""
    generator = as_generator(task.seed)
    points, truth = [], []
    for number, circle in enumerate(task.circles):
        places = np.arange(circle.points) + generator.random(circle.points)
        angles = 2 * np.pi * places / circle.points
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        points.append(np.array([circle.x, circle.y]) + circle.radius * directions)
        truth.append(np.full(circle.points, number))
    together = np.concatenate(points)
    # Drawn even if it is nothing, so that turning the noise up moves the points and does not draw new ones.
    together = together + task.noise * generator.normal(size=together.shape)
    return together, np.concatenate(truth)


def _network_labels(model: str, method: str, points: Float[np.ndarray, "n 2"]) -> Int[np.ndarray, " n"]:
    (labels,) = _clusterer(model, method).label_many([points])
    if isinstance(labels, SetFailure):
        raise labels.error
    return labels


@lru_cache
def _clusterer(model: str, method: str) -> SetClusterer:
    return SetClusterer(load(model), method=method, random_state=0)


def _spectral_labels(points: Float[np.ndarray, "n 2"], n_clusters: int) -> Int[np.ndarray, " n"]:
    if n_clusters >= len(points):  # the eigenvectors asked for must be fewer than the points
        return np.arange(len(points))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # circles far apart are a graph in pieces, which is the answer
        return canonical_labels(spectral(points, n_clusters))
