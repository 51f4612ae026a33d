"""What `abclust demo` shows: handwritten digits and circles by shipped weights, their number unknown.

Command: ``abclust demo``. Cost: well under a minute on two cores, offline. The digits come with scikit-learn;
the weights `omniglot` have learnt from other scripts and never saw a digit. k-means and spectral clustering
are told the true number of clusters, the networks are not.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_digits

from abclust.datasets.circle_sets import CircleBatch, circle_batch
from abclust.datasets.labelled_set import LabelledSet, canonical_labels
from abclust.estimator.clustered_set import ClusteredSet
from abclust.estimator.set_clusterer import SetClusterer
from abclust.evaluation.protocol import Clusterer, evaluate
from abclust.evaluation.scores import ari
from abclust.figures.circle_figures import CirclePanel, draw_circle_panels
from abclust.figures.style import save_figure
from abclust.foundations.random_state import stream
from abclust.report import SetSection, set_section, write_report
from abclust.zoo.loading import load

N_SETS = 20
N_ITEMS = 100
N_SHOWN = 2
"""Sets of each kind that the report shows; the scores are means over all."""


def demonstrate(output: Path, seed: int, say: Callable[[str], Any], n_sets: int = N_SETS) -> list[Path]:
    """Run the demonstration, tell its story line by line, write a report and a picture.

    Parameters
    ----------
    output
        Folder for the report and the picture.
    seed
        Of the sets.
    say
        Called with each line of the story.
    n_sets
        Sets of each kind.

    Returns
    -------
    list of Path
        The files written: the report, then the picture.
    """
    say(
        f"1. Handwritten digits, {n_sets} sets of {N_ITEMS} images, by the shipped weights `omniglot`.\n"
        "   They learnt from other scripts and never saw a digit."
    )
    sets, digits = digit_sets(n_sets, seed)
    sections = _cluster_and_tell("omniglot", sets, digits, "Handwritten digits", say)

    say(f"2. Points on four overlapping circles, {n_sets} sets of {N_ITEMS}, by the weights `circles`.")
    circles = circle_batch(n_sets, n_points=N_ITEMS, seed=seed)
    sections += _cluster_and_tell("circles", list(circles), list(circles.labels), "Circles", say)

    report, picture = output / "report.html", output / "circles.png"
    write_report(
        report, sections, title="What abclust found", command="abclust demo", model="omniglot, circles"
    )
    _draw_circles(circles, picture)
    say(f"Open the report in a browser: {report}\nPicture: {picture}")
    return [report, picture]


def digit_sets(n_sets: int, seed: int) -> tuple[list[LabelledSet], list[Int[np.ndarray, " n"]]]:
    """Random sets of scikit-learn's handwritten digits, 8 x 8 pixels, 0 to 1; and which digits they show."""
    pixels, digits = load_digits(return_X_y=True)
    images = (np.asarray(pixels) / 16).astype(np.float32).reshape(-1, 8, 8)
    chosen = [stream(seed, number).choice(len(images), N_ITEMS, replace=False) for number in range(n_sets)]
    shown = [np.asarray(digits, dtype=np.int64)[places] for places in chosen]
    return [LabelledSet(images[places], each) for places, each in zip(chosen, shown)], shown


def _cluster_and_tell(
    model: str,
    sets: Sequence[LabelledSet],
    truths: Sequence[Int[np.ndarray, " n"]],
    title: str,
    say: Callable[[str], Any],
) -> list[SetSection]:
    """Cluster all sets once, tell the scores beside those of two others, describe the first few."""
    clusterer = SetClusterer(load(model))
    found = [clusterer.cluster(each.items) for each in sets]
    _tell_scores(found, sets, say)
    return [
        set_section(each, labelled.items, name=f"{title} {place + 1}", true_labels=truth)
        for place, (each, labelled, truth) in enumerate(zip(found[:N_SHOWN], sets, truths))
    ]


def _tell_scores(
    found: Sequence[ClusteredSet], sets: Sequence[LabelledSet], say: Callable[[str], Any]
) -> None:
    labels = iter(found)
    systems: dict[str, tuple[Clusterer, bool]] = {
        "abclust": (lambda items, n_clusters: next(labels).labels, False),
        "k-means": (k_means, True),
        "spectral clustering": (spectral, True),
    }
    say(f"\n   {'mean of ' + str(len(sets)) + ' sets':<20} {'number of clusters':<19} {'ARI':>5} {'NMI':>6}")
    for name, (method, is_known) in systems.items():
        row = evaluate(method, sets, system=name, n_clusters_known=is_known).row()
        told = "told" if is_known else "found by itself"
        say(f"   {name:<20} {told:<19} {row['ari']:>5.2f} {row['nmi']:>6.2f}")
    say("")


def _draw_circles(circles: CircleBatch, path: Path) -> None:
    """The first set, as the shipped network and as spectral clustering see it."""
    points, true = circles.points[0], circles.labels[0]
    found = {
        "abclust, number unknown": SetClusterer(load("circles")).cluster(points).labels,
        "Spectral clustering": spectral(points, 4),
    }
    panels = [
        CirclePanel(
            letter=letter,
            title=title,
            score=ari(true, labels),
            k_was_given=title == "Spectral clustering",
            points=points,
            labels=canonical_labels(labels),
            true_labels=true,
            centres=circles.centres[0],
            radii=circles.radii[0],
        )
        for letter, (title, labels) in zip("AB", found.items())
    ]
    save_figure(draw_circle_panels(panels), path)


def k_means(items: Float[np.ndarray, "n ..."], n_clusters: int) -> Int[np.ndarray, " n"]:
    """k-means of the numbers of an item, pixels or coordinates, with the true number of clusters."""
    return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(_flat(items))  # type: ignore[arg-type]


def spectral(items: Float[np.ndarray, "n ..."], n_clusters: int) -> Int[np.ndarray, " n"]:
    """scikit-learn's spectral clustering of the same, with its defaults and the true number of clusters."""
    return SpectralClustering(n_clusters, random_state=0).fit_predict(_flat(items))


def _flat(items: Float[np.ndarray, "n ..."]) -> Float[np.ndarray, "n d"]:
    return np.asarray(items).reshape(len(items), -1)
