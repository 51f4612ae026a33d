"""What `abclust demo` shows: circles by shipped weights, and handwriting learnt on the spot; k unknown.

Command: ``abclust demo``. Cost: half a minute on two cores, offline. Expected: adjusted Rand scores of about
.9, well above those of k-means and spectral clustering, although these are told the true number of clusters
and the networks are not. The handwritten digits come with scikit-learn; the images clustered are not among
those learnt from.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_digits

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.circle_sets import CircleBatch, circle_batch
from abclust.datasets.instance_sampler import InstanceSampler
from abclust.datasets.labelled_set import LabelledSet, canonical_labels
from abclust.evaluation.protocol import Clusterer, evaluate
from abclust.evaluation.scores import ari
from abclust.figures.circle_figures import CirclePanel, draw_circle_panels
from abclust.figures.kernel_figures import draw_kernel
from abclust.figures.style import save_figure
from abclust.kernel.calibration_table import CalibrationTable
from abclust.learn import train
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.config import TrainingConfig
from abclust.training.reporter import Reporter
from abclust.zoo.loading import load

N_LEARNT = 900  # of the 1,797 images; the others are clustered
N_SETS = 20
SHOWN_CLUSTERS = 6  # a set with fewer makes a dull picture
TRAINING = TrainingConfig(
    steps=400, sets_per_step=16, learning_rate=3e-3, optimizer="muon", validate_every=400
)


def demonstrate(
    output: Path,
    seed: int,
    say: Callable[[str], Any],
    reporter: Reporter | None = None,
    training: TrainingConfig = TRAINING,
) -> list[Path]:
    """Run the demonstration, tell its story line by line and write its pictures.

    Parameters
    ----------
    output
        Folder for the pictures.
    seed
        Of the sets and of the training.
    say
        Called with each line of the story.
    reporter
        Who hears of the training's progress; log lines by default.
    training
        How long and how to train.

    Returns
    -------
    list of Path
        The files written.
    """
    say("1. Points on four overlapping circles, new ones, by the shipped weights `circles`.")
    circles = circle_batch(N_SETS, n_points=100, seed=seed)
    clusterer = network_clusterer(load("circles"))
    _tell_scores(clusterer, list(circles), say)
    files = [_draw_circles(circles, clusterer, output / "circles.png")]

    learnt, unseen = digit_sets(seed)
    say(
        f"2. Handwritten digits. Learning from {len(learnt)} labelled sets (scikit-learn's, 8 x 8 pixels) ..."
    )
    network = train(learnt, config=training, reporter=reporter)
    say(f"   Clustering {len(unseen)} new sets of other images, 2 to 10 digits in each:")
    _tell_scores(network_clusterer(network), unseen, say)
    files.append(_draw_digits(network, unseen, output / "digits-kernel.png"))
    say("Pictures: " + ", ".join(map(str, files)))
    return files


def _tell_scores(clusterer: Clusterer, sets: Sequence[LabelledSet], say: Callable[[str], Any]) -> None:
    systems: Mapping[str, tuple[Clusterer, bool]] = {
        "abclust": (clusterer, False),
        "k-means": (_k_means, True),
        "spectral clustering": (_spectral, True),
    }
    say(f"\n   {'mean of ' + str(len(sets)) + ' sets':<20} {'number of clusters':<19} {'ARI':>5} {'NMI':>6}")
    for name, (method, known) in systems.items():
        row = evaluate(method, sets, system=name, n_clusters_known=known).row()
        told = "told" if known else "found by itself"
        say(f"   {name:<20} {told:<19} {row['ari']:>5.2f} {row['nmi']:>6.2f}")
    say("")


def _draw_circles(circles: CircleBatch, clusterer: Clusterer, path: Path) -> Path:
    """The first set, as the shipped network and as spectral clustering see it."""
    points, true = circles.points[0], circles.labels[0]
    found = {"abclust, number unknown": clusterer(points, None), "Spectral clustering": _spectral(points, 4)}
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
    return path


def _draw_digits(network: ContextKernelNetwork, sets: Sequence[LabelledSet], path: Path) -> Path:
    """The kernel of one set, ordered by the clusters found."""
    shown = next(each for each in sets if each.n_clusters >= SHOWN_CLUSTERS)
    labels = network_clusterer(network)(shown.items, None)
    title = "New digits, ordered by the clusters found"
    save_figure(draw_kernel(network.kernel(shown.items), labels, shown.labels, title), path)
    return path


def digit_sets(seed: int) -> tuple[list[LabelledSet], list[LabelledSet]]:
    """Sets to learn from, and sets of other images to judge by."""
    pixels, labels = load_digits(return_X_y=True)
    images = (np.asarray(pixels) / 16).astype(np.float32)
    labels = np.asarray(labels, dtype=np.int64)
    learnt, unseen = (images[:N_LEARNT], labels[:N_LEARNT]), (images[N_LEARNT:], labels[N_LEARNT:])
    sampler = InstanceSampler(learnt, length=(20, 80), n_clusters=(1, 10), n_instances=1000, seed=seed)
    judge = InstanceSampler(unseen, length=100, n_clusters=(2, 10), n_instances=N_SETS, seed=seed + 1)
    return list(sampler), list(judge)


def network_clusterer(network: ContextKernelNetwork) -> Callable[..., Int[np.ndarray, "n"]]:
    """Items in, labels out: the network's kernel, calibrated for log-odds clustering."""
    calibrations = CalibrationTable.from_dict(network.metadata["calibration"])

    def cluster(items: np.ndarray, n_clusters: int | None) -> Int[np.ndarray, "n"]:
        calibrated = calibrations.at("log-odds", len(items)).apply(network.kernel(items))
        return cluster_kernel(calibrated, n_clusters)  # type: ignore[return-value]

    return cluster


def _k_means(items: np.ndarray, n_clusters: int) -> np.ndarray:
    return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(items)  # type: ignore[arg-type]


def _spectral(items: np.ndarray, n_clusters: int) -> np.ndarray:
    return SpectralClustering(n_clusters, random_state=0).fit_predict(items)
