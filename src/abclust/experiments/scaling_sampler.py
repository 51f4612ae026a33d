"""What a network for local sets learns from: neighbourhoods of large mixtures, as it will see them later."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from abclust.experiments.scaling_mixtures import EmbeddingDomain
from abclust.foundations.random_state import stream
from abclust.scale.config import LocalContextConfig
from abclust.scale.item_encoding import directions

N_REPRESENTATIVES = LocalContextConfig().n_representatives
PIECES = 0.75
"""Share of the clumps that are a piece of their class; the others are all that is left of it."""
LARGEST_PIECE = 64
"""Items of a piece, at most; log-uniform from one."""

Sets = tuple[Float[np.ndarray, "B n d"], Int[np.ndarray, "B n"]]


@dataclass(frozen=True)
class NeighbourhoodSampler:
    """Sets of one training step; called as ``sampler(rng, step) -> (items, labels)``.

    Each step draws a new mixture of new classes and takes neighbourhoods, clumps and samples of it.
    Neighbours are those by the angle in the directions that tell classes apart: what a trained encoder finds.
    The network's own encoder is not asked, so that a step does not depend on the weights and a run can be
    repeated.

    Examples
    --------
    >>> sampler = NeighbourhoodSampler(n_sets=3, n_anywhere=1, n_clumped=1)
    >>> items, labels = sampler(np.random.default_rng(0), 0)
    >>> items.shape, labels.shape
    ((3, 192, 128), (3, 192))
    """

    domain: EmbeddingDomain = field(default_factory=EmbeddingDomain)
    n_sets: int = 6
    n_anywhere: int = 2
    """Of these, sets from anywhere: within a neighbourhood the directions that tell hardly vary, and from
    such sets alone an encoder does not learn which they are."""
    n_clumped: int = 2
    """Of these, sets of clumps, as the passes over clusters show them: a few items for each piece of a class,
    tight where the piece is small. Who has not seen such takes the pieces of a wide class for classes."""
    set_size: int = 192
    n_far: int = 32
    mixture_sizes: tuple[int, int] = (400, 6_000)
    """Fewest and most items of the mixture; log-uniform. Its largest class has a tenth to a half of them."""

    def __call__(self, rng: np.random.Generator, step: int) -> Sets:
        low, high = self.mixture_sizes
        n_items = int(np.exp(rng.uniform(np.log(low), np.log(high))))
        domain, share = self.domain, rng.uniform(0.1, 0.5)
        # A tenth is the rule of the mixture; drawn from a set larger by the share, sizes reach beyond it.
        sizes = domain.class_sizes(int(n_items * share * 10), rng)
        sizes = sizes[np.cumsum(sizes) <= n_items]
        labels = np.repeat(np.arange(len(sizes)), sizes)
        labels = np.concatenate([labels, len(sizes) + np.arange(n_items - len(labels))])
        plain = domain.draw(labels, int(labels.max()) + 1, rng)
        telling = directions(plain[:, : domain.n_telling])
        n_near = self.n_sets - self.n_anywhere - self.n_clumped
        near = [self._neighbourhood(telling, rng) for _ in range(n_near)]
        clumped = [self._clumps(telling, labels, rng) for _ in range(self.n_clumped)]
        anywhere = [rng.choice(n_items, self.set_size, replace=False) for _ in range(self.n_anywhere)]
        places = np.stack([*near, *clumped, *anywhere])
        return plain[places] @ domain.rotation.T, labels[places]

    def _neighbourhood(
        self, telling: Float[np.ndarray, "n t"], rng: np.random.Generator
    ) -> Int[np.ndarray, " m"]:
        order = np.argsort(-telling @ telling[rng.integers(len(telling))])
        near, far = np.split(order, [self.set_size - self.n_far])
        return rng.permutation(np.concatenate([near, rng.choice(far, self.n_far, replace=False)]))

    def _clumps(
        self, telling: Float[np.ndarray, "n t"], labels: Int[np.ndarray, " n"], rng: np.random.Generator
    ) -> Int[np.ndarray, " m"]:
        """Representatives of pieces of classes around one item, piece after piece until the set is full."""
        n_items = len(telling)
        reach = int(np.exp(rng.uniform(np.log(self.set_size), np.log(n_items))))
        around = np.argsort(-telling @ telling[rng.integers(n_items)])
        is_free, places = np.ones(n_items, dtype=bool), []
        for seed in np.concatenate([rng.permutation(around[:reach]), around[reach:]]):
            if not is_free[seed]:
                continue
            members = np.flatnonzero(is_free & (labels == labels[seed]))
            is_piece = rng.random() < PIECES
            size = int(np.exp(rng.uniform(0.0, np.log(LARGEST_PIECE)))) if is_piece else len(members)
            piece = members[np.argsort(-telling[members] @ telling[seed])[:size]]
            shown = rng.permutation(piece)[: min(N_REPRESENTATIVES, self.set_size - len(places))]
            is_free[piece] = False
            places += shown.tolist()
            if len(places) == self.set_size:
                return rng.permutation(places)
        unseen = np.setdiff1d(np.arange(n_items), places)  # few classes, all used up: whoever is left
        return rng.permutation([*places, *rng.choice(unseen, self.set_size - len(places), replace=False)])


def labelled_pairs(
    sampler: NeighbourhoodSampler, n_steps: int, seed: int
) -> list[tuple[Float[np.ndarray, "B n d"], Int[np.ndarray, "B n"]]]:
    """Neighbourhoods that no training step saw, for what is fitted afterwards."""
    return [sampler(stream(seed, 2**31 + 5, step), step) for step in range(n_steps)]
