"""What local search keeps up to date while it changes labels in place."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.clustering.log_odds.objective import cluster_sums

# Empty slots beyond the clusters there are, for items that leave for a cluster of their own within one round.
_SPARE_SLOTS = 4


@dataclass
class SearchState:
    """Labels of B sets and the sums that judge a change of them; local search changes all of it in place.

    Attributes
    ----------
    weights : array of shape (B, n, n)
    labels : integer array of shape (B, n)
        The slot of each item; -1 on padding.
    sums : array of shape (B, slots, n)
        The pull of each slot on each item; zero for an empty slot, so that leaving for one costs nothing.
    sizes : integer array of shape (B, slots)
    lower, upper : integer arrays of shape (B,)
        The number of clusters allowed.
    tolerance : float
        A gain has to be larger than this, so that rounding cannot make a search go in circles.
    """

    weights: Float[np.ndarray, "B n n"]
    labels: Int[np.ndarray, "B n"]
    sums: Float[np.ndarray, "B slots n"]
    sizes: Int[np.ndarray, "B slots"]
    lower: Int[np.ndarray, " B"]
    upper: Int[np.ndarray, " B"]
    tolerance: float

    @classmethod
    def of(
        cls,
        weights: Float[np.ndarray, "B n n"],
        labels: Int[np.ndarray, "B n"],
        lower: Int[np.ndarray, " B"],
        upper: Int[np.ndarray, " B"],
    ) -> "SearchState":
        """A fresh state; the labels are copied and renumbered without gaps."""
        labels = without_gaps(labels)
        n_slots = min(int(labels.max()) + 1 + _SPARE_SLOTS, labels.shape[1] + 1)
        sums = cluster_sums(weights, labels, n_slots)
        sizes = slot_sizes(labels, n_slots)
        tolerance = 1e-9 + 1e-12 * max(float(weights.max()), -float(weights.min()))
        return cls(weights, labels, sums, sizes, lower, upper, tolerance)

    @property
    def n_clusters(self) -> Int[np.ndarray, " B"]:
        return (self.sizes > 0).sum(axis=1)

    def move(
        self, sets: Int[np.ndarray, " S"], items: Int[np.ndarray, " S"], targets: Int[np.ndarray, " S"]
    ) -> None:
        """Move one item in each of some sets to another slot."""
        sources, pull = self.labels[sets, items], self.weights[sets, items]
        self.sums[sets, sources] -= pull
        self.sums[sets, targets] += pull
        self.labels[sets, items] = targets
        self.sizes[sets, sources] -= 1
        self.sizes[sets, targets] += 1
        emptied = self.sizes[sets, sources] == 0
        self.sums[sets[emptied], sources[emptied]] = 0.0

    def join(
        self, sets: Int[np.ndarray, " S"], kept: Int[np.ndarray, " S"], gone: Int[np.ndarray, " S"]
    ) -> None:
        """Give all items of the slot `gone` to the slot `kept`, in each of some sets."""
        self.sums[sets, kept] += self.sums[sets, gone]
        self.sums[sets, gone] = 0.0
        self.sizes[sets, kept] += self.sizes[sets, gone]
        self.sizes[sets, gone] = 0
        labels = self.labels[sets]
        self.labels[sets] = np.where(labels == gone[:, None], kept[:, None], labels)


def without_gaps(labels: Int[np.ndarray, "B n"]) -> Int[np.ndarray, "B n"]:
    """Number the clusters of each set 0, 1, ... without gaps, in the order of their old numbers; -1 stays."""
    n_slots = int(labels.max()) + 1
    used = slot_sizes(labels, n_slots) > 0
    rank = np.cumsum(used, axis=1) - 1
    ranked = np.take_along_axis(rank, np.maximum(labels, 0), axis=1)
    return np.where(labels >= 0, ranked, -1)


def slot_sizes(labels: Int[np.ndarray, "B n"], n_slots: int) -> Int[np.ndarray, "B slots"]:
    """How many items each slot holds."""
    n_sets = len(labels)
    shifted = labels + np.arange(n_sets)[:, None] * n_slots
    counts = np.bincount(shifted[labels >= 0], minlength=n_sets * n_slots)
    return counts.reshape(n_sets, n_slots)


def is_open(state: SearchState) -> Bool[np.ndarray, "B slots"]:
    """The slots an item may move to: those in use, and empty ones where one more cluster is allowed."""
    return (state.sizes > 0) | (state.n_clusters < state.upper)[:, None]
