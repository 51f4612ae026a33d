"""The sets of vectors that a network is trained on, step by step: generated, prepared, varied."""

from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float, Int

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_sets import MixtureBatch, draw_size, mixture_batch
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vector_batch
from abclust.datasets.vector_variation import vary_vectors
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream

_SIZES_SEED = 1_100_5010  # the same size for all processes of a step, which have streams of their own

ORDERLY_CLUSTERS = (1, 12)
_WIDTHS = ("n_features", "wide_features", "planar_features", "orderly_features")
Sets = tuple[Float[np.ndarray, "B n w"], Int[np.ndarray, "B n"]]


@dataclass(frozen=True)
class VectorSampler:
    """The sets of one training step; called as ``sampler(rng, step) -> (prepared vectors, labels)``.

    Where centres are told, they follow on the labels. All sets of a step have equally many items, so that
    nothing is padded, and as many in all processes, so that none waits for another; they come in a few
    groups, each of its own width.

    Raises
    ------
    InvalidInputError
        If a range is empty, a share is not between 0 and 1, or a number is not positive.

    Examples
    --------
    >>> items, labels = VectorSampler(points_per_step=300)(np.random.default_rng(0), step=0)
    >>> items.shape == (300 // items.shape[1], items.shape[1], VectorPreparation().width)
    True
    """

    n_points: tuple[int, int] = (10, 400)
    """Fewest and most items of a set; the logarithm of the number is uniform."""
    large_points: tuple[int, int] = (400, 2_000)
    """The same for a few steps with large sets."""
    large_share: float = 0.05
    """Share of the steps with large sets."""
    n_features: tuple[int, int] = (1, 48)
    """Fewest and most columns; log-uniform."""
    wide_features: tuple[int, int] = (48, 384)
    """The same for a few groups of wide sets."""
    wide_share: float = 0.3
    """Share of the groups that are wide, if they are not planar."""
    wide_single_share: float = 0.04
    """Share of the wide sets that are one cluster. Wide tables are embeddings and pixels, whose clusters
    stand out little from the noise of so many columns: with as many single ones as elsewhere, all would be
    taken for one."""
    wide_evenness: tuple[float, float] = (1.0, 20.0)
    """Range of the Dirichlet parameter of their sizes: where most items are of one cluster, so are most
    pairs, and a set that is hard to see would be taken for one again."""
    wide_few_clusters: float = 1.0
    """Small numbers of clusters do not come more often there: pixels and embeddings are collected of many
    things. Where two clusters are the rule, any two items that are hard to tell may well belong together."""
    planar_share: float = 0.25
    """Share of the groups that are sets of the plane, where people look first."""
    planar_features: tuple[int, int] = (2, 2)
    """Fewest and most columns of those; log-uniform. A plane among a few columns of noise is still one."""
    planar_curve_share: float = 0.5
    """Share of those that are curves: what is hard there is not where the centres are."""
    planar_single_share: float = 0.4
    """Share of those that are one cluster. In the plane several clusters are easy to see, and one that is
    bent or winds is what was missed."""
    orderly_share: float = 0.0
    """Share of the groups, if they are neither planar nor wide, in which nothing is wrong with a set: see
    ``_orderly_family``. Where each trouble is drawn by itself hardly any set is spared of all, and the
    network is unsure of clusters that anybody would see."""
    orderly_features: tuple[int, int] = (3, 32)
    """Fewest and most columns of those; log-uniform."""
    orderly_separation: tuple[float, float] = (3.0, 14.0)
    """Range of the distance of their centres, see
    :attr:`~abclust.datasets.mixture_family.MixtureFamily.separation`."""
    points_per_step: int = 3_000
    """Items in a step: sets of n come by this many // n, and at least one."""
    groups_per_step: int = 3
    """Groups of one width each, if there are so many sets."""
    family: MixtureFamily = field(default_factory=MixtureFamily)
    preparation: VectorPreparation = field(default_factory=VectorPreparation)
    rotated_share: float = 0.3
    """Share of the sets whose principal components are rotated; the signs of all are random."""
    tells_centres: bool = False
    """Give the centre of every item's cluster as targets, see :mod:`abclust.training.target_head`."""

    @property
    def n_targets(self) -> int:
        """How many numbers of an item are given as targets: the signed columns of the centre."""
        return self.preparation.n_signed if self.tells_centres else 0

    def __post_init__(self) -> None:
        for name in ("n_points", "large_points", *_WIDTHS):
            fewest, most = getattr(self, name)
            if not 1 <= fewest <= most:
                raise InvalidInputError(
                    f"{name} must be a range (fewest, most) from 1. Got {(fewest, most)}."
                )
        shares = ("large_share", "wide_share", "wide_single_share", "planar_share", "planar_curve_share")
        for name in (*shares, "planar_single_share", "orderly_share", "rotated_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidInputError(f"{name} must be between 0 and 1. Got {getattr(self, name)}.")
        for name in ("points_per_step", "groups_per_step", "wide_few_clusters"):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} must be positive. Got {getattr(self, name)}.")

    def __call__(self, rng: np.random.Generator, step: int) -> tuple[np.ndarray, ...]:
        of_step = stream(_SIZES_SEED, step)
        is_large = of_step.random() < self.large_share
        n_points = draw_size(self.large_points if is_large else self.n_points, of_step)
        n_sets = max(1, self.points_per_step // n_points)
        items, labels = self.sets_of(n_sets, n_points, rng)
        items = vary_vectors(items, self.preparation, rng, self.rotated_share)
        if not self.tells_centres:
            return items, labels
        return items, labels, _centres(items[..., : self.n_targets], labels)

    def sets_of(self, n_sets: int, n_points: int, rng: np.random.Generator) -> Sets:
        """Sets of the stated size, prepared but not varied, of widths as in training."""
        groups = np.array_split(np.arange(n_sets), min(n_sets, self.groups_per_step))
        batches = [self._draw_group(len(group), n_points, rng) for group in groups]
        prepared = [prepare_vector_batch(batch.points, self.preparation) for batch in batches]
        return np.concatenate(prepared), np.concatenate([batch.labels for batch in batches])

    def _draw_group(self, n_sets: int, n_points: int, rng: np.random.Generator) -> MixtureBatch:
        if rng.random() < self.planar_share:
            planar = replace(
                self.family, curve_share=self.planar_curve_share, single_share=self.planar_single_share
            )
            # Of the plane itself nothing is drawn: a run of before can be made again.
            is_plane = self.planar_features == (2, 2)
            n_features = 2 if is_plane else draw_size(self.planar_features, rng)
            return mixture_batch(n_sets, n_points, n_features, planar, rng)
        if rng.random() < self.wide_share:
            n_features = draw_size(self.wide_features, rng)
            return mixture_batch(n_sets, n_points, n_features, self._wide_family, rng)
        # Where no group may be orderly nothing is drawn: a run of before can be made again.
        if self.orderly_share and rng.random() < self.orderly_share:
            n_features = draw_size(self.orderly_features, rng)
            return mixture_batch(n_sets, n_points, n_features, self._orderly_family, rng)
        return mixture_batch(n_sets, n_points, draw_size(self.n_features, rng), self.family, rng)

    @property
    def _orderly_family(self) -> MixtureFamily:
        """Straight clusters of one piece, mostly of equal sizes and seldom in each other's way, each with
        axes of its own; columns as they were measured, some of them sums of others."""
        return replace(
            self.family,
            n_clusters=ORDERLY_CLUSTERS,
            few_clusters=1.0,
            curve_share=0.0,
            stretched_share=0.8,
            tilted_share=1.0,
            separation=self.orderly_separation,
            equal_share=0.6,
            spaced_share=0.6,
            redundant_share=0.5,
            longest=0.0,
            clumped_share=0.0,
            outlier_share=0.0,
            correlated_share=0.0,
            caused_share=0.0,
            bent_share=0.0,
            table_share=0.0,
            sphere_share=0.0,
        )

    @property
    def _wide_family(self) -> MixtureFamily:
        return replace(
            self.family,
            single_share=self.wide_single_share,
            evenness=self.wide_evenness,
            few_clusters=self.wide_few_clusters,
        )


def _centres(
    points: Float[np.ndarray, "B n t"], labels: Int[np.ndarray, "B n"]
) -> Float[np.ndarray, "B n t"]:
    """The mean of all items of an item's cluster, for every item."""
    belongs = (labels[..., None] == np.arange(labels.max() + 1)).astype(np.float32)
    shares = belongs / np.maximum(belongs.sum(axis=1, keepdims=True), 1.0)
    return belongs @ (shares.swapaxes(1, 2) @ points)
