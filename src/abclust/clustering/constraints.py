"""Must-link and cannot-link pairs: what they imply, whether they can all hold, and weights that obey them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from abclust.clustering.canonical_labels import canonical_labels
from abclust.foundations.errors import InvalidInputError

Pairs = Iterable[Any] | None


@dataclass(frozen=True)
class Constraints:
    """Groups of items that stay together, and pairs of groups that stay apart.

    Attributes
    ----------
    groups : integer array of shape (n,)
        The group of each item: the connected components of the must-link pairs, in canonical order.
    apart : integer array of shape (pairs, 2)
        Pairs of groups with a cannot-link between them, each once.
    """

    groups: Int[np.ndarray, " n"]
    apart: Int[np.ndarray, "pairs 2"]

    @property
    def n_groups(self) -> int:
        return int(self.groups.max()) + 1

    @property
    def is_empty(self) -> bool:
        return self.n_groups == len(self.groups) and not len(self.apart)


def read_constraints(n_items: int, must_link: Pairs = None, cannot_link: Pairs = None) -> Constraints:
    """Read pairs of item numbers and make sure that some partition can honour them all.

    Must-links carry over: if a belongs with b and b with c, then a belongs with c.

    Parameters
    ----------
    n_items : int
    must_link, cannot_link : iterable of pairs of item numbers, optional

    Raises
    ------
    InvalidInputError
        If a pair is not two item numbers, or if two items that must be together must also be apart.

    Examples
    --------
    >>> read_constraints(4, must_link=[(0, 2)], cannot_link=[(2, 3)]).groups.tolist()
    [0, 1, 0, 2]
    """
    groups = _components(_pairs(must_link, n_items, "must_link"), n_items)
    forbidden = _pairs(cannot_link, n_items, "cannot_link")
    clash = groups[forbidden[:, 0]] == groups[forbidden[:, 1]]
    if clash.any():
        first, second = forbidden[clash][0].tolist()
        reason = (
            "are the same item" if first == second else "are linked by must_link, directly or through others"
        )
        raise InvalidInputError(
            f"cannot_link must not contradict must_link. Got the pair ({first}, {second}), which {reason}. "
            "Take one of the two away."
        )
    return Constraints(groups, np.unique(np.sort(groups[forbidden], axis=1), axis=0))


def constrained_weights(
    weights: Float[np.ndarray, "n n"], constraints: Constraints
) -> Float[np.ndarray, "g g"]:
    """The log-odds between groups; between groups that must stay apart, lower than all else can outweigh.

    Clustering these weights, one item a group, is clustering the original ones under the constraints: what
    happens within a group is the same in every partition that is allowed.
    """
    if constraints.is_empty:
        return weights
    n_groups = constraints.n_groups
    indicator = csr_array(
        (np.ones(len(weights)), (constraints.groups, np.arange(len(weights)))), shape=(n_groups, len(weights))
    )
    between = np.asarray(indicator @ (indicator @ weights).T)
    np.fill_diagonal(between, 0.0)
    first, second = constraints.apart.T
    between[first, second] = between[second, first] = -(1.0 + np.abs(weights).sum())
    return between


def linked_weights(weights: Float[np.ndarray, "n n"], constraints: Constraints) -> Float[np.ndarray, "n n"]:
    """The log-odds between items, so high within groups and so low between groups apart that linkage obeys.

    Unlike :func:`constrained_weights` this keeps one row an item, which average linkage needs: its means
    weigh items.
    """
    if constraints.is_empty:
        return weights
    beyond = 1.0 + np.abs(weights).sum()
    groups = constraints.groups
    linked = np.where(apart_items(constraints), -beyond, weights)
    linked[groups[:, None] == groups] = beyond
    np.fill_diagonal(linked, 0.0)
    return linked


def apart_items(constraints: Constraints) -> Bool[np.ndarray, "n n"]:
    """Which items must be apart from which."""
    is_apart = np.zeros((constraints.n_groups,) * 2, dtype=bool)
    first, second = constraints.apart.T
    is_apart[first, second] = is_apart[second, first] = True
    return is_apart[np.ix_(constraints.groups, constraints.groups)]


def check_honoured(labels: Int[np.ndarray, " g"], constraints: Constraints, n_clusters: object) -> None:
    """Make sure that the groups' labels keep apart what must be apart.

    Raises
    ------
    InvalidInputError
        If they do not, which happens only when the number of clusters allowed is too small.
    """
    first, second = constraints.apart.T
    broken = int((labels[first] == labels[second]).sum())
    if broken:
        raise InvalidInputError(
            f"n_clusters must leave room for the cannot_link pairs. Got {n_clusters!r}, with which no "
            f"partition that honours all of them was found ({broken} broken). Allow more clusters."
        )


def _components(pairs: Int[np.ndarray, "pairs 2"], n_items: int) -> Int[np.ndarray, " n"]:
    """The connected component of each item, in canonical order."""
    if not len(pairs):
        return np.arange(n_items)
    links = csr_array((np.ones(len(pairs)), pairs.T), shape=(n_items, n_items))
    return canonical_labels(connected_components(links, directed=False)[1].astype(np.int64))


def _pairs(pairs: Pairs, n_items: int, name: str) -> Int[np.ndarray, "pairs 2"]:
    rows = [] if pairs is None else [tuple(pair) for pair in pairs]
    for row in rows:
        good = len(row) == 2 and all(
            isinstance(item, int | np.integer) and 0 <= item < n_items for item in row
        )
        if not good:
            raise InvalidInputError(
                f"{name} must hold pairs of item numbers from 0 to {n_items - 1}. Got {row!r}."
            )
    return np.array(rows, dtype=np.int64).reshape(-1, 2)
