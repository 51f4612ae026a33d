"""Local search by moving one item at a time to another cluster or to a cluster of its own."""

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.clustering.log_odds.search_state import SearchState, is_open


def move_gains(state: SearchState) -> tuple[Float[np.ndarray, "B n"], Int[np.ndarray, "B n"]]:
    """What each item's best move gains and where it leads; -inf on padding and where none is allowed."""
    slots = np.maximum(state.labels, 0)[:, None, :]
    pulls = np.where(is_open(state)[:, :, None], state.sums, -np.inf)
    stay = np.take_along_axis(state.sums, slots, axis=1)[:, 0]
    np.put_along_axis(pulls, slots, -np.inf, axis=1)
    targets = pulls.argmax(axis=1)
    gains = np.take_along_axis(pulls, targets[:, None, :], axis=1)[:, 0] - stay
    is_alone = np.take_along_axis(state.sizes, slots[:, 0], axis=1) == 1
    gains[is_alone & (state.n_clusters <= state.lower)[:, None]] = -np.inf
    gains[state.labels < 0] = -np.inf
    return gains, targets


def move_items(state: SearchState) -> None:
    """Move single items until no move of one item improves any set.

    Sweeps: all items that would gain are listed, largest gain first, and each is judged again by the sums as
    they are when its turn comes. One turn serves one item of every set at once.
    """
    while _sweep(state):
        pass


def _sweep(state: SearchState) -> bool:
    moved = False
    gains, _ = move_gains(state)
    order = np.argsort(-gains, axis=1, kind="stable")
    n_candidates = (gains > state.tolerance).sum(axis=1)
    for turn in range(int(n_candidates.max())):
        sets = np.flatnonzero(n_candidates > turn)
        items = order[sets, turn]
        targets, is_good = _judge(state, sets, items)
        state.move(sets[is_good], items[is_good], targets[is_good])
        moved = moved or bool(is_good.any())
    return moved


def _judge(
    state: SearchState, sets: Int[np.ndarray, " S"], items: Int[np.ndarray, " S"]
) -> tuple[Int[np.ndarray, " S"], Bool[np.ndarray, " S"]]:
    """The best target of one item in each of some sets as things stand now, and whether going gains."""
    rows = np.arange(len(sets))
    sources = state.labels[sets, items]
    pulls = state.sums[sets, :, items]
    stay = pulls[rows, sources]
    pulls[~is_open(state)[sets]] = -np.inf
    pulls[rows, sources] = -np.inf
    targets = pulls.argmax(axis=1)
    closes_needed = (state.sizes[sets, sources] == 1) & (state.n_clusters <= state.lower)[sets]
    return targets, (pulls[rows, targets] - stay > state.tolerance) & ~closes_needed
