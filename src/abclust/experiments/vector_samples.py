"""The picture of the family that the network for vectors is trained on: one sample of each kind.

Command
    ``python -m abclust.experiments.vector_samples --output docs/figures/vectors-family.png``. Cost: seconds.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from abclust.datasets.mixture_family import CURVES, SHAPES, MixtureFamily
from abclust.datasets.mixture_sets import mixture_batch
from abclust.figures.style import save_figure
from abclust.figures.vector_figures import SamplePanel, draw_samples
from abclust.foundations.random_state import stream

N_POINTS = 300
N_COLUMNS = 7
PLAIN = MixtureFamily(
    n_clusters=(4, 4),
    evenness=(20.0, 20.0),
    separation=(6.0, 6.0),
    stretched_share=0.0,
    density_deviation=0.0,
    uninformative_share=0.0,
    curve_share=0.0,
    outlier_share=0.0,
    correlated_share=0.0,
    caused_share=0.0,
    clumped_share=0.0,
    bent_share=0.0,
    rotated_share=0.0,
    table_share=0.0,
    sphere_share=0.0,
)
"""Nothing of what makes sets hard; the panels add one thing each. Clumps have no panel: in two columns they
hardly show."""
HARDER: dict[str, dict[str, Any]] = {
    "one cluster": {"n_clusters": (1, 1)},
    "twenty clusters": {"n_clusters": (20, 20), "separation": (9.0, 9.0)},
    "heavy overlap": {"separation": (2.0, 2.0)},
    "unequal sizes": {"evenness": (0.5, 0.5)},
    "unequal densities": {"density_deviation": 1.5},
    "outliers": {"outlier_share": 1.0},
    "long and bent": {"stretched_share": 1.0, "tilted_share": 1.0, "separation": (14.0, 14.0)},
    "common factors": {"correlated_share": 1.0},
    "bent space": {"bent_share": 1.0},
    "useless column": {"uninformative_share": 1.0},
    "changed columns": {"table_share": 1.0},
    "all at once": {
        "stretched_share": 1.0,
        "density_deviation": 0.7,
        "evenness": (1.0, 1.0),
        "outlier_share": 1.0,
    },
    "curves, outliers": {"curve_share": 1.0, "n_clusters": (2, 8), "outlier_share": 1.0},
}


def sample_panels(seed: int = 0, n_points: int = N_POINTS) -> list[SamplePanel]:
    """A set of each shape, of each curve, and of each thing that makes sets harder.

    Each is the first that the seed draws: none was chosen.
    """
    default = MixtureFamily()
    kinds = [
        *((name, replace(PLAIN, shapes=(name,)), name not in default.shapes) for name in SHAPES),
        *(
            (name, replace(PLAIN, curves=(name,), curve_share=1.0, n_clusters=(3, 3)), _is_new(name, default))
            for name in CURVES
        ),
        *((name, replace(PLAIN, **changes), False) for name, changes in HARDER.items()),
    ]
    panels = []
    for place, (title, family, is_held_out) in enumerate(kinds):
        batch = mixture_batch(1, n_points, 2, family, stream(seed, place))
        panels.append(SamplePanel(title, batch.points[0], batch.labels[0], is_held_out))
    return panels


def _is_new(curve: str, family: MixtureFamily) -> bool:
    return curve not in family.curves


def draw_family(path: Path, seed: int = 0) -> Path:
    """Draw the picture; gives the path."""
    save_figure(draw_samples(sample_panels(seed), N_COLUMNS), path)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.vector_samples", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--output", type=Path, default=Path("docs/figures/vectors-family.png"))
    parser.add_argument("--seed", type=int, default=0, help="other samples for another seed")
    given = parser.parse_args(arguments)
    draw_family(given.output, given.seed)


if __name__ == "__main__":
    main()
