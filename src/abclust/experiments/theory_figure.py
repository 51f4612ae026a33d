"""The paper's Section 4 and Appendix A, run and drawn: ``theory.json`` and ``theory.png``.

Command
    ``abclust reproduce theory``
Cost
    Half a minute on one core: 200 random systems for each statement and compatibility. ``--quick`` takes ten
    seconds: 20 systems.
Expected
    The identities of the two-cluster proposition and its corollary hold to 1e-9 or better in float64, with
    both compatibilities, with skips and without; no point leaves the convex hull; no diameter exceeds a bound
    (worst left/right at most 1, up to rounding). In the drawn system one step multiplies the centroids'
    distance by 1.4 and the clusters' diameters by 1.06 and 1.05 with skips, by 0.4, 0.06 and 0.05 without.

When the weights of a network on circles ship, a sixth panel follows two circles through its layers; without
them the panel is left out and its row says so.
"""

import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from abclust.datasets.circle_sets import circles
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.registry import ReproduceOptions
from abclust.figures.style import save_figure
from abclust.figures.theory_figures import BoundCurves, DriftCurves, LayerCurves, theory_figure
from abclust.foundations.errors import FileFormatError
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.theory import (
    BlockWeights,
    diameter_lemma,
    layer_separation,
    random_system,
    rates,
    run_two_clusters,
    solved_block_weights,
)
from abclust.theory.contraction import diameter
from abclust.theory.sweep import COMPATIBILITIES, sweep
from abclust.zoo.catalogue import shipped_names
from abclust.zoo.loading import load

NAME = "theory"
# The drawn system: 12 and 8 points, of which the centroids part by a factor of 1.4 a step.
SIZE_A, SIZE_B, N_STEPS = 12, 8, 5
SEPARATION, SELFISHNESS = 0.4, 0.115
SET_SIZES = (2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64)
NETWORKS = ("circles", "circles-paper-mul", "circles-paper-add")  # the first that ships is drawn
POINTS_ON_CIRCLES, N_CIRCLES = 60, 2

Row = dict[str, Any]
logger = logging.getLogger(__name__)


def run(options: ReproduceOptions) -> list[Path]:
    """Check every statement, write the rows, draw the figure. Gives the two files."""
    if options.train:
        logger.warning("theory has nothing to train; the shipped weights are used for the panel of layers.")
    stored, picture = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        rows = [*sweep(20 if options.quick else 200, options.seed), *panel_rows(options)]
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, picture)
    return [stored, picture]


def panel_rows(options: ReproduceOptions) -> list[Row]:
    """What the panels of the figure show, one row each."""
    drifts = [
        {
            "panel": "drift",
            "compatibility": compatibility,
            "skip": skip,
            **_drift(compatibility, skip, options.seed),
        }
        for compatibility in COMPATIBILITIES
        for skip in (True, False)
    ]
    n_systems = 10 if options.quick else 200
    bounds = [
        {"panel": "bounds", "compatibility": compatibility, "n_systems": n_systems}
        | _bounds(compatibility, n_systems, options.seed)
        for compatibility in COMPATIBILITIES
    ]
    shipped = [name for name in NETWORKS if name in shipped_names()]
    if not shipped:
        absent = {
            "panel": "layers",
            "shipped": False,
            "note": f"left out: none of {', '.join(NETWORKS)} ships",
        }
        return [*drifts, *bounds, absent]
    n_sets = 5 if options.quick else 50
    layers = {"panel": "layers", "shipped": True, "network": shipped[0], "n_sets": n_sets}
    return [*drifts, *bounds, layers | layer_curves(load(shipped[0]), n_sets, options.seed)]


def draw(rows: list[Row], path: Path) -> None:
    """Draw the figure from rows alone."""
    multiplicative = [row for row in rows if row.get("compatibility") == "multiplicative"]
    try:
        with_skips, without = (
            _curves(
                DriftCurves,
                next(row for row in multiplicative if row.get("panel") == "drift" and row["skip"] == skip),
            )
            for skip in (True, False)
        )
        bounds = _curves(BoundCurves, next(row for row in multiplicative if row.get("panel") == "bounds"))
        layer_row = next(row for row in rows if row.get("panel") == "layers")
    except (StopIteration, RuntimeError, KeyError) as error:
        raise FileFormatError(
            f"{NAME}.json must hold a row for every panel. Got none for one: {error!r}."
        ) from error
    layers = (
        _curves(LayerCurves, layer_row | {"name": layer_row["network"]}) if layer_row["shipped"] else None
    )
    save_figure(theory_figure(with_skips, without, bounds, layers), path)


def layer_curves(network: ContextKernelNetwork, n_sets: int, seed: int) -> Row:
    """Two circles through a network's layers: geometric means over sets, with and without skips."""
    sets = circles(n_sets, POINTS_ON_CIRCLES, N_CIRCLES, seed=stream(seed, 2))
    means: Row = {}
    for skip, ending in ((True, ""), (False, "_without")):
        each = [layer_separation(network, one.items, one.labels, skip=skip) for one in sets]
        means[f"separation{ending}"] = np.exp(np.mean([np.log(one.separation) for one in each], axis=0))
        means[f"extent{ending}"] = np.exp(np.mean([np.log(one.extent) for one in each], axis=0))
    return means


def _drift(compatibility: str, skip: bool, seed: int) -> Row:
    weights = solved_block_weights(SIZE_A, SIZE_B, separation=SEPARATION, selfishness=SELFISHNESS)
    points = _two_blobs(weights, seed)
    orbit = run_two_clusters(points, [weights] * N_STEPS, compatibility, skip=skip)
    a, b = orbit[:, :SIZE_A], orbit[:, SIZE_A:]
    factors = rates(weights, skip)
    measured = {
        "separation": np.linalg.norm(a.mean(axis=1) - b.mean(axis=1), axis=1),
        "diameter_a": np.array([diameter(each) for each in a]),
        "diameter_b": np.array([diameter(each) for each in b]),
    }
    steps = np.arange(N_STEPS + 1)
    named = {"separation": factors.between, "diameter_a": factors.within_a, "diameter_b": factors.within_b}
    predicted = {f"predicted_{name}": measured[name][0] * factor**steps for name, factor in named.items()}
    return {
        "weights": asdict(weights),
        "rates": asdict(factors),
        "orbit": orbit,
        "size_a": SIZE_A,
        **measured,
        **predicted,
    }


def _two_blobs(weights: BlockWeights, seed: int) -> Float[np.ndarray, "n 2"]:
    """Two overlapping clouds with their common mean at the origin.

    Block weights are symmetric, so the mean is what attention alone contracts the set to; with skips, a set
    with another mean would drift as a whole, which says nothing about clusters.
    """
    generator = stream(seed, 3)
    points = generator.normal(scale=0.45, size=(weights.n_items, 2))
    points[: weights.size_a] += [-0.5, 0.12]
    points[weights.size_a :] += [0.5, -0.12]
    return points - points.mean(axis=0)


def _bounds(compatibility: str, n_systems: int, seed: int) -> Row:
    means = []
    for size in SET_SIZES:
        factors = []
        for index in range(n_systems):
            generator = stream(seed, 4, size, index)
            system = random_system(3, compatibility, spread=0.5, seed=generator)
            lemma = diameter_lemma(generator.normal(size=(size, 3)), system)
            bounds = lemma.factors
            factors.append([lemma.after / lemma.before, bounds.paper, bounds.compared, bounds.dobrushin])
        means.append(np.mean(factors, axis=0))
    names = ("measured", "paper", "compared", "dobrushin")
    return {
        "sizes": [float(size) for size in SET_SIZES],
        **dict(zip(names, np.transpose(means), strict=True)),
    }


def _curves(kind: Any, row: Row) -> Any:
    """A row of the file as the arrays that the figure takes."""
    values = {name: row[name] for name in kind.__dataclass_fields__}
    return kind(
        **{
            name: np.array(value, float) if isinstance(value, list) else value
            for name, value in values.items()
        }
    )
