"""From what a caller writes to a checked request: kernels, numbers of clusters, constraints, a seed."""

import math
from typing import Any

import numpy as np

from abclust.clustering.checks import Bounds, as_kernels, check_n_clusters
from abclust.clustering.constraints import Constraints, read_constraints
from abclust.clustering.methods import Request
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator


def read_request(
    kernel: Any,
    n_clusters: Any,
    must_link: Any,
    cannot_link: Any,
    random_state: Seed,
    assign_labels: str,
    n_clusters_method: str | None,
    one_cluster_odds: Any = None,
) -> tuple[Request, bool]:
    """Check everything once; also say whether many kernels came in.

    For many kernels `n_clusters` is one value for all or a list of one for each, and constraints are a list
    of one collection of pairs (or None) for each, as are odds of one cluster.
    """
    kernels, many = as_kernels(kernel)
    is_listed = many and isinstance(n_clusters, list | np.ndarray)
    numbers = _one_each(n_clusters, len(kernels), "n_clusters") if is_listed else [n_clusters] * len(kernels)
    must, cannot = [
        _one_each(pairs, len(kernels), name) if many and pairs is not None else [pairs] * len(kernels)
        for pairs, name in ((must_link, "must_link"), (cannot_link, "cannot_link"))
    ]
    rules = [read_constraints(len(one), *pairs) for one, *pairs in zip(kernels, must, cannot)]
    bounds = [
        _bounds_of_groups(check_n_clusters(number, len(one)), rule)
        for number, one, rule in zip(numbers, kernels, rules)
    ]
    seed = None if random_state is None else int(as_generator(random_state).integers(2**31 - 1))
    odds = _read_odds(one_cluster_odds, len(kernels), many)
    return Request(kernels, bounds, rules, seed, assign_labels, n_clusters_method, odds), many


def _read_odds(odds: Any, n_sets: int, many: bool) -> list[float] | None:
    if odds is None:
        return None
    is_listed = many and isinstance(odds, list | tuple | np.ndarray)
    return list(map(_positive, _one_each(odds, n_sets, "one_cluster_odds") if is_listed else [odds] * n_sets))


def _positive(odds: Any) -> float:
    if not (isinstance(odds, int | float | np.integer | np.floating) and 0 < odds < math.inf):
        raise InvalidInputError(f"one_cluster_odds must be a positive number. Got {odds!r}.")
    return float(odds)


def _one_each(values: Any, n_sets: int, name: str) -> list[Any]:
    """A list with one entry for each set, as it must be."""
    if not isinstance(values, list | tuple | np.ndarray) or len(values) != n_sets:
        raise InvalidInputError(
            f"{name} must be a list with one entry for each of the {n_sets} kernels. Got {values!r:.200}."
        )
    return list(values)


def _bounds_of_groups(bounds: Bounds | None, rule: Constraints) -> Bounds | None:
    """Bounds that groups of must-linked items can have."""
    if bounds is None:
        return None if rule.n_groups == len(rule.groups) else Bounds(1, rule.n_groups)
    if bounds.lower > rule.n_groups:
        raise InvalidInputError(
            f"n_clusters must be at most {rule.n_groups}, the number of groups that must_link leaves. "
            f"Got {bounds.lower}. Take some must_link pairs away or ask for fewer clusters."
        )
    return Bounds(bounds.lower, min(bounds.upper, rule.n_groups))
