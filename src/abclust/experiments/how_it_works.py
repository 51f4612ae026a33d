"""The pictures of ``docs/how_it_works.md``, from the shipped weights.

Command: ``python -m abclust.experiments.how_it_works --output docs/figures``. Cost: seconds.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from abclust.datasets.circle_sets import circle_batch
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.figures.story_figures import StoryPanel, draw_story
from abclust.figures.style import save_figure
from abclust.zoo.loading import load

N_POINTS = 120
SEED = 4


def draw_pictures(output: Path) -> list[Path]:
    """Draw the four pictures into a folder.

    Returns
    -------
    list of Path
        The set, one point's view of it, the fitted kernel, the clusters.
    """
    batch = circle_batch(1, N_POINTS, n_circles=4, seed=SEED)
    points, truth = batch.points[0], batch.labels[0]
    clusterer = AttentionClustering("circles", random_state=SEED).fit(points)
    chosen = int(np.argmax(clusterer.confidence_))
    alone = load("circles-pairwise-mul").kernel(points)[chosen]
    views = [
        StoryPanel("Without context", points, probabilities=alone, chosen=chosen),
        StoryPanel("With context", points, probabilities=clusterer.kernel_[chosen], chosen=chosen),
    ]
    result = [
        StoryPanel(
            f"Found: {clusterer.n_clusters_} clusters",
            points,
            labels=clusterer.labels_,
            confidence=clusterer.confidence_,
        ),
        StoryPanel("True circles", points, labels=truth),
    ]
    figures = {
        "how-it-works-set": draw_story([StoryPanel("A set", points)]),
        "how-it-works-context": draw_story(views),
        "how-it-works-kernel": clusterer.plot(),
        "how-it-works-clusters": draw_story(result),
    }
    paths = []
    for name, figure in figures.items():
        save_figure(figure, output / f"{name}.png")
        paths.append(output / f"{name}.png")
    return paths


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.how_it_works", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--output", type=Path, default=Path("docs/figures"), help="folder for the pictures")
    for path in draw_pictures(parser.parse_args(arguments).output):
        print(path)


if __name__ == "__main__":
    main()
