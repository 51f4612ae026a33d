"""How many items each cluster gets: two laws over (n_1, ..., n_k), each sampled exactly under the caps.

Both laws live on the vectors with 1 <= n_i <= b_i and n_1 + ... + n_k = L. With the excess x_i = n_i - 1, its
limits u_i = b_i - 1 and c = L - k:

``"authors"``
    (authors' code; the law behind the paper's tables) k - 1 iid uniform integers on {0, ..., c}, sorted, are
    cuts of [0, c]; x are the differences. The authors redraw until all caps hold, which at L = 100, b = 20
    and k = 6 takes 1,200 draws on average. Here the conditional law itself is sampled, by dynamic
    programming.

``"uniform"``
    All admissible vectors are equally likely.

The two differ: a sorted cut vector in which cuts coincide stands for fewer orderings of the iid draws, so the
authors' law gives vectors with several 1s among the inner sizes less weight than the uniform law does.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf, lgamma
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int
from numpy.lib.stride_tricks import sliding_window_view

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import resolve


@runtime_checkable
class SizeLaw(Protocol):
    """A law over cluster sizes that can be sampled and whose probabilities are known."""

    def draw(self, generator: np.random.Generator) -> Int[np.ndarray, " k"]:
        """One vector of sizes."""
        ...

    def log_probability(self, sizes: Sequence[int]) -> float:
        """The logarithm of the probability of `sizes`; minus infinity outside the caps."""
        ...


class AuthorsLaw:
    r"""Sorted iid cuts of L - k, plus 1, conditioned on the caps.

    A sorted cut vector has the weight :math:`\prod_v 1 / m_v!`, with :math:`m_v` cuts at the value v (times
    :math:`(k-1)!`, the same for all). Blocks of equal cuts are laid from left to right; after j cuts, the
    last at v, the total weight of all admissible ways to go on is

    .. math:: W_j(v) = \sum_{v < w \le v + u_{j+1}} A_j(w), \qquad A_j(w) = \sum_{r \ge 1} W_{j+r}(w) / r!,

    and :math:`W_{k-1}(v) = [c - v \le u_k]`. Only the first block may lie at its predecessor's place 0,
    because 0 and c are no cuts. A draw walks the same blocks, each chosen in proportion to its term.
    """

    def __init__(self, length: int, caps: tuple[int, ...]) -> None:
        self._excess = length - len(caps)
        self._limits = [min(cap - 1, self._excess) for cap in caps]
        self._n_cuts = len(caps) - 1
        places = np.arange(self._excess + 1)
        self._go_on = np.full((self._n_cuts + 1, self._excess + 1), -inf)  # log W_j(v)
        self._blocks = np.full((self._n_cuts, self._excess + 1), -inf)  # log A_j(w)
        self._go_on[-1, self._excess - places <= self._limits[-1]] = 0.0
        log_factorials = np.array([lgamma(count + 1) for count in range(self._n_cuts + 1)])
        for cut in range(self._n_cuts - 1, -1, -1):
            later = self._go_on[cut + 1 :] - log_factorials[1 : self._n_cuts - cut + 1, None]
            self._blocks[cut] = np.logaddexp.reduce(later, axis=0)
            self._go_on[cut] = _log_window_sums(self._blocks[cut], start=1, width=self._limits[cut])
        self._places_of: dict[tuple[int, int], tuple[int, list[float]]] = {}
        self._repeats_of: dict[tuple[int, int], list[float]] = {}

    @property
    def log_total(self) -> float:
        """The logarithm of the total weight of all admissible cut vectors."""
        if self._n_cuts == 0:
            return float(self._go_on[0, 0])
        return float(np.logaddexp.reduce(self._blocks[0, : self._limits[0] + 1]))

    def draw(self, generator: np.random.Generator) -> Int[np.ndarray, " k"]:
        """One vector of sizes, shape (k,)."""
        uniforms = iter(generator.random(2 * self._n_cuts).tolist())
        cuts: list[int] = []
        while len(cuts) < self._n_cuts:
            first, cumulative = self._next_places(len(cuts), cuts[-1] if cuts else -1)
            place = first + bisect_right(cumulative, next(uniforms) * cumulative[-1], hi=len(cumulative) - 1)
            cumulative = self._next_repeats(len(cuts), place)
            repeats = 1 + bisect_right(cumulative, next(uniforms) * cumulative[-1], hi=len(cumulative) - 1)
            cuts += [place] * repeats
        return np.diff(np.array([0, *cuts, self._excess])) + 1

    def log_probability(self, sizes: Sequence[int]) -> float:
        """Log of (k-1)! / prod m_v! over the same summed over all admissible vectors."""
        excesses = [size - 1 for size in sizes]
        if not _is_admissible(excesses, self._limits, self._excess):
            return -inf
        _, multiplicities = np.unique(list(accumulate(excesses[:-1])), return_counts=True)
        return -sum(lgamma(count + 1) for count in multiplicities.tolist()) - self.log_total

    def _next_places(self, cut: int, last: int) -> tuple[int, list[float]]:
        """The first place of the next block of cuts, cumulative weights from there; `last` is -1 at first."""
        if (cut, last) not in self._places_of:
            first = last + 1
            stop = max(last, 0) + self._limits[cut] + 1
            self._places_of[cut, last] = first, _cumulative_weights(self._blocks[cut, first:stop])
        return self._places_of[cut, last]

    def _next_repeats(self, cut: int, place: int) -> list[float]:
        """Cumulative weights of a block of 1, 2, ... equal cuts at `place`."""
        if (cut, place) not in self._repeats_of:
            log_weights = [
                float(self._go_on[cut + repeats, place]) - lgamma(repeats + 1)
                for repeats in range(1, self._n_cuts - cut + 1)
            ]
            self._repeats_of[cut, place] = _cumulative_weights(np.array(log_weights))
        return self._repeats_of[cut, place]


class UniformLaw:
    r"""All admissible size vectors equally likely.

    With :math:`N_i(s)` the number of ways in which clusters i, ..., k share an excess of s, :math:`N_i(s) =
    \sum_{x \le u_i} N_{i+1}(s - x)` and :math:`N_{k+1}(s) = [s = 0]`; the sizes are drawn one after the
    other, :math:`P(x_i = x \mid s) = N_{i+1}(s - x) / N_i(s)`.
    """

    def __init__(self, length: int, caps: tuple[int, ...]) -> None:
        self._excess = length - len(caps)
        self._limits = [min(cap - 1, self._excess) for cap in caps]
        self._ways = np.full((len(caps) + 1, self._excess + 1), -inf)  # log N_i(s)
        self._ways[-1, 0] = 0.0
        for cluster in range(len(caps) - 1, -1, -1):
            backwards = _log_window_sums(
                self._ways[cluster + 1, ::-1], start=0, width=self._limits[cluster] + 1
            )
            self._ways[cluster] = backwards[::-1]
        self._excess_of: dict[tuple[int, int], list[float]] = {}

    @property
    def log_total(self) -> float:
        """The logarithm of the number of admissible vectors."""
        return float(self._ways[0, self._excess])

    def draw(self, generator: np.random.Generator) -> Int[np.ndarray, " k"]:
        """One vector of sizes, shape (k,)."""
        left, sizes = self._excess, []
        for cluster, uniform in enumerate(generator.random(len(self._limits)).tolist()):
            cumulative = self._cumulative(cluster, left)
            excess = bisect_right(cumulative, uniform * cumulative[-1], hi=len(cumulative) - 1)
            sizes.append(excess + 1)
            left -= excess
        return np.array(sizes)

    def log_probability(self, sizes: Sequence[int]) -> float:
        """Minus the log of the number of admissible vectors."""
        is_admissible = _is_admissible([size - 1 for size in sizes], self._limits, self._excess)
        return -self.log_total if is_admissible else -inf

    def _cumulative(self, cluster: int, left: int) -> list[float]:
        if (cluster, left) not in self._excess_of:
            stop = min(self._limits[cluster], left) + 1
            log_weights = self._ways[cluster + 1, left - np.arange(stop)]
            self._excess_of[cluster, left] = _cumulative_weights(log_weights)
        return self._excess_of[cluster, left]


SIZE_LAWS = {"authors": AuthorsLaw, "uniform": UniformLaw}


def size_law(length: int, caps: Sequence[int], law: str = "authors") -> SizeLaw:
    """The law of cluster sizes for sets of `length` items from clusters that hold at most `caps` items.

    Tables are kept for the last few hundred (length, caps, law), so that the usual case of equal caps costs
    its dynamic programme once for each k.

    Parameters
    ----------
    length
        L, the sum of the sizes.
    caps
        b_1, ..., b_k, in the order of the clusters.
    law
        ``"authors"`` or ``"uniform"``, see the module.

    Raises
    ------
    InvalidInputError
        If no vector with 1 <= n_i <= b_i sums to `length`, or `law` has another name.

    Examples
    --------
    >>> from math import exp
    >>> law = size_law(5, [2, 4], law="uniform")  # (1, 4) and (2, 3)
    >>> round(exp(law.log_probability([2, 3])), 6)
    0.5
    """
    caps = [int(cap) for cap in caps]
    if not caps or min(caps) < 1 or not len(caps) <= length <= sum(caps):
        raise InvalidInputError(
            "length must lie between the number of clusters and the sum of their caps. "
            f"Got {length} for caps {caps}."
        )
    longest = length - len(caps) + 1  # a cap beyond this cannot bind, so all such share one table
    return _cached_law(length, tuple(min(cap, longest) for cap in caps), law)


@lru_cache(maxsize=512)
def _cached_law(length: int, caps: tuple[int, ...], law: str) -> SizeLaw:
    return resolve("sizes", law, SIZE_LAWS)(length, caps)


def _log_window_sums(
    log_values: Float[np.ndarray, " m"], *, start: int, width: int
) -> Float[np.ndarray, " m"]:
    """log of the sum of `width` values from i + `start` on, for every i; beyond the end there is nothing.

    Summed term by term: differences of running sums would lose the small windows to cancellation.
    """
    if width == 0:
        return np.full(len(log_values), -inf)
    padded = np.concatenate([log_values, np.full(start + width, -inf)])
    windows = sliding_window_view(padded, width)[start : start + len(log_values)]
    return np.logaddexp.reduce(windows, axis=1)


def _cumulative_weights(log_weights: Float[np.ndarray, " m"]) -> list[float]:
    """Running sums of exp(log weight) up to the last above 0; a list: bisect on it beats searchsorted."""
    weights = np.exp(log_weights - log_weights.max())
    return np.cumsum(weights[: np.flatnonzero(weights)[-1] + 1]).tolist()


def _is_admissible(excesses: Sequence[int], limits: Sequence[int], total: int) -> bool:
    is_within = len(excesses) == len(limits) and all(0 <= x <= limit for x, limit in zip(excesses, limits))
    return is_within and sum(excesses) == total
