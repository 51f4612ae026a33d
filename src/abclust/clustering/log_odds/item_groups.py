"""Groups of items of many sets, gathered into padded batches of small matrices."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.clustering.log_odds.search_state import SearchState


class GroupBatch(NamedTuple):
    """Groups of similar size: their places among all groups, their items, the log-odds within each."""

    positions: Int[np.ndarray, " C"]
    items: Int[np.ndarray, "C m"]
    is_item: Bool[np.ndarray, "C m"]
    weights: Float[np.ndarray, "C m m"]

    def where(self, chosen: Bool[np.ndarray, " C"]) -> "GroupBatch":
        """The chosen groups only."""
        return self if chosen.all() else GroupBatch(*(field[chosen] for field in self))


def cluster_members(
    state: SearchState, sets: Int[np.ndarray, " C"], slots: Int[np.ndarray, " C"]
) -> list[Int[np.ndarray, " _"]]:
    """The items of each (set, slot)."""
    n_slots = state.sizes.shape[1]
    keys = np.where(state.labels >= 0, state.labels + np.arange(len(state.labels))[:, None] * n_slots, -1)
    order = np.argsort(keys, axis=None, kind="stable")
    sorted_keys = keys.ravel()[order]
    wanted = sets * n_slots + slots
    starts, stops = np.searchsorted(sorted_keys, wanted), np.searchsorted(sorted_keys, wanted, side="right")
    items = order % state.labels.shape[1]
    return [items[start:stop] for start, stop in zip(starts, stops)]


def group_batches(
    weights: Float[np.ndarray, "B n n"], sets: Int[np.ndarray, " C"], groups: list[Int[np.ndarray, " _"]]
) -> Iterator[GroupBatch]:
    """Batches of groups of similar size; the size classes double, so padding at most doubles the width."""
    sizes = np.array([len(items) for items in groups], dtype=np.int64)
    size_class = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    for one_class in np.unique(size_class):
        positions = np.flatnonzero(size_class == one_class)
        is_item = np.arange(sizes[positions].max()) < sizes[positions, None]
        items = np.zeros(is_item.shape, dtype=np.int64)
        items[is_item] = np.concatenate([groups[position] for position in positions])
        within = weights[sets[positions, None, None], items[:, :, None], items[:, None, :]]
        within *= is_item[:, :, None] & is_item[:, None, :]
        yield GroupBatch(positions, items, is_item, within)
