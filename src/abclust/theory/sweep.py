"""Every statement on many random systems at once: the worst case of each, as rows for a results file."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.theory.attention_system import AttentionSystem, random_system
from abclust.theory.block_attention import attention_by_edges, attention_by_projections
from abclust.theory.block_weights import BlockWeights, solved_block_weights
from abclust.theory.contraction import diameter_lemma
from abclust.theory.convex_hull import convex_hull_lemma
from abclust.theory.two_clusters import Realisation, two_cluster_corollary, two_cluster_proposition

COMPATIBILITIES = ("multiplicative", "additive")
REALISATIONS: dict[str, Realisation] = {"edges": attention_by_edges, "projections": attention_by_projections}
LARGEST_SET, LARGEST_DIMENSION, LARGEST_CLUSTER = 23, 11, 13

Row = dict[str, Any]


def sweep(n_systems: int, seed: int = 0) -> list[Row]:
    """Run all statements on `n_systems` random systems for each compatibility and report the worst of each.

    Sizes, dimensions, points, projections and block weights are drawn anew for every system.

    Returns
    -------
    list of dict
        ``statement, compatibility, n_systems, measure, worst`` and, for the two-cluster statements,
        ``realisation`` and ``skip``. `worst` is the largest error of an identity, and the largest left/right
        of an inequality.

    Examples
    --------
    >>> {row["statement"] for row in sweep(1)} == {
    ...     "convex hull lemma", "diameter lemma", "two-cluster proposition", "two-cluster corollary"
    ... }
    True
    """
    if n_systems < 1:
        raise InvalidInputError(f"n_systems must be at least 1. Got {n_systems}.")
    rows: list[Row] = []
    for compatibility in COMPATIBILITIES:
        rows += _lemmas(n_systems, compatibility, seed)
        for realisation in REALISATIONS:
            rows += _two_clusters(n_systems, compatibility, realisation, seed)
    return rows


def _lemmas(n_systems: int, compatibility: str, seed: int) -> list[Row]:
    outside, bounds = [], []
    for points, system in _random_systems(n_systems, compatibility, seed):
        hull, shrinking = convex_hull_lemma(points, system), diameter_lemma(points, system)
        outside.append(hull.distances.max() / shrinking.before)
        inequalities = (shrinking.paper, shrinking.compared, shrinking.dobrushin, shrinking.overlap)
        bounds.append([each.left / each.right for each in inequalities])
    common = {"compatibility": compatibility, "n_systems": n_systems}
    hull_row = {"statement": "convex hull lemma", **common, "measure": "distance outside the hull / diameter"}
    names = ("1 - 2 delta", "1 - n delta / 4", "1 - n delta", "Dobrushin's coefficient")
    return [hull_row | {"worst": float(max(outside))}] + [
        {
            "statement": "diameter lemma",
            **common,
            "measure": f"new diameter / bound by {name}",
            "worst": worst,
        }
        for name, worst in zip(names, np.max(bounds, axis=0).tolist(), strict=True)
    ]


def _two_clusters(n_systems: int, compatibility: str, realisation: str, seed: int) -> list[Row]:
    common = {"compatibility": compatibility, "realisation": realisation, "n_systems": n_systems}
    make, rows = REALISATIONS[realisation], []
    for skip in (True, False):
        errors = []
        for points, weights in _random_clusters(n_systems, seed):
            statement = two_cluster_proposition(points, weights, compatibility, skip=skip, realisation=make)
            errors.append([statement.within_a.error, statement.within_b.error, statement.centroids.error])
        for part, worst in zip(
            ("within A", "within B", "centroids"), np.max(errors, axis=0).tolist(), strict=True
        ):
            measure = f"relative error of the identity {part}"
            rows.append(
                {
                    "statement": "two-cluster proposition",
                    **common,
                    "skip": skip,
                    "measure": measure,
                    "worst": worst,
                }
            )
    ratios = []
    for points, weights in _random_clusters(n_systems, seed):
        corollary = two_cluster_corollary(points, weights, compatibility, realisation=make)
        for ratio in (corollary.ratio_a, corollary.ratio_b):
            ratios.append([float(ratio.left), ratio.error])
    measures = ("growth of a cluster / growth of the separation", "relative error of the ratio's closed form")
    for measure, worst in zip(measures, np.max(ratios, axis=0).tolist(), strict=True):
        rows.append(
            {"statement": "two-cluster corollary", **common, "skip": True, "measure": measure, "worst": worst}
        )
    return rows


def _random_systems(
    n_systems: int, compatibility: str, seed: int
) -> Iterator[tuple[Float[np.ndarray, "_n _d"], AttentionSystem]]:
    for index in range(n_systems):
        generator = stream(seed, COMPATIBILITIES.index(compatibility), index)
        n_items, n_features = (
            generator.integers(2, LARGEST_SET + 1),
            int(generator.integers(1, LARGEST_DIMENSION + 1)),
        )
        points = generator.normal(size=(n_items, n_features))
        yield (
            points,
            random_system(n_features, compatibility, spread=generator.uniform(0.1, 2), seed=generator),
        )


def _random_clusters(n_systems: int, seed: int) -> Iterator[tuple[Float[np.ndarray, "_n _d"], BlockWeights]]:
    """Independent points, so that both realisations can run the same ones."""
    for index in range(n_systems):
        generator = stream(seed, len(COMPATIBILITIES), index)
        size_a, size_b = (int(size) for size in generator.integers(2, LARGEST_CLUSTER + 1, size=2))
        separation, selfishness = generator.uniform(0.05, 0.95, size=2)
        points = generator.normal(size=(size_a + size_b, size_a + size_b + LARGEST_DIMENSION))
        points[:size_a] += generator.normal(size=points.shape[1])
        yield points, solved_block_weights(size_a, size_b, separation=separation, selfishness=selfishness)
