"""A distribution of partitions, and so of their number of clusters: Gibbs samples of the log-odds model."""

import numpy as np
from jaxtyping import Float, Int

from abclust.clustering.canonical_labels import canonical_labels
from abclust.clustering.checks import Bounds
from abclust.clustering.log_odds.search_state import SearchState
from abclust.foundations.random_state import Seed, as_generator

_CHAINS = 32  # in step: a batch of chains costs hardly more than one
_BURN_IN_SWEEPS = 20


def sample_partitions(
    weights: Float[np.ndarray, "n n"],
    labels: Int[np.ndarray, " n"],
    n_samples: int,
    *,
    bounds: Bounds | None = None,
    random_state: Seed = None,
) -> Int[np.ndarray, "samples n"]:
    r"""Draw partitions from the log-odds model.

    The model: every partition :math:`\pi` of the set is equally likely beforehand, and every pair's log-odds
    are its log-likelihood ratio of together against apart, independent given the partition. Then

    .. math:: P(\pi \mid W) \propto \exp \sum_{i<j,\ \pi(i)=\pi(j)} w_{ij},

    whose most likely partition is the one that log-odds clustering looks for. A sweep draws every item's
    cluster given all others; 32 chains start at `labels`, and each gives one sample a sweep after 20 sweeps
    of burn-in. Evidence stronger than the model's, because pairs are not independent, makes the samples agree
    more than they should.

    Parameters
    ----------
    weights : array of shape (n, n)
        Symmetric log-odds with a zero diagonal.
    labels : integer array of shape (n,), in canonical order
        Where the chains start.
    n_samples : int
    bounds : Bounds, optional
        The number of clusters allowed; the chains stay within it.
    random_state : int, generator or None

    Returns
    -------
    integer array of shape (n_samples, n)
        Labels of each partition, in canonical order.
    """
    n_items = len(labels)
    bounds = bounds or Bounds(1, n_items)
    if n_samples == 0 or bounds.exact or n_items == 1:
        return np.tile(labels, (n_samples, 1))
    generator = as_generator(random_state)
    n_chains = min(_CHAINS, n_samples)
    state = SearchState.of(
        np.broadcast_to(weights, (n_chains, n_items, n_items)),
        np.tile(labels, (n_chains, 1)),
        np.full(n_chains, bounds.lower),
        np.full(n_chains, bounds.upper),
    )
    samples: list[Int[np.ndarray, " n"]] = []
    for sweep in range(_BURN_IN_SWEEPS - (-n_samples // n_chains)):
        for item in range(n_items):
            state = _with_empty_slots(state)
            _draw_cluster(state, item, generator)
        if sweep >= _BURN_IN_SWEEPS:
            samples += [canonical_labels(drawn) for drawn in state.labels]
    return np.array(samples[:n_samples])


def _with_empty_slots(state: SearchState) -> SearchState:
    """The same labels with at least one empty slot in every chain, for an item that opens a new cluster."""
    if not (state.sizes > 0).all(axis=1).any():
        return state
    return SearchState.of(state.weights, state.labels, state.lower, state.upper)


def _draw_cluster(state: SearchState, item: int, generator: np.random.Generator) -> None:
    """Draw the cluster of one item given all others, in every chain, in place."""
    chains = np.arange(len(state.labels))
    source = state.labels[:, item]
    others = state.sizes.copy()
    others[chains, source] -= 1
    is_used = others > 0
    n_used = is_used.sum(axis=1)
    # An item that is alone keeps its slot as "a new cluster"; any other would open the first empty one.
    is_alone = others[chains, source] == 0
    fresh = np.where(is_alone, source, (state.sizes == 0).argmax(axis=1))
    is_allowed = is_used & (n_used >= state.lower)[:, None]
    is_allowed[chains, fresh] = n_used < state.upper
    log_weights = np.where(is_allowed, state.sums[:, :, item], -np.inf)
    # The largest of log-weights with Gumbel noise is a draw in proportion to the weights.
    target = (log_weights + generator.gumbel(size=log_weights.shape)).argmax(axis=1)
    moved = np.flatnonzero(target != source)
    state.move(moved, np.full(len(moved), item), target[moved])
