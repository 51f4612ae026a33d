"""Large mixtures for the scaling runs: embeddings whose classes overlap, of 1 to 10,000 items each.

The model is that of probabilistic linear discriminant analysis with two more levels. Some directions tell
classes apart; a few others vary strongly and say nothing, as pose and light do in embeddings of faces.
Whoever measures plain distances or angles is led astray by those few; who has seen labelled sets of other
classes can know them. Classes come in families, some coarse and some fine: as near to each other as kinds of
finch, or as far apart as furniture, and as narrow or as wide. And each class is wide in directions of its
own. So no one threshold on the similarity of two items is right everywhere, however good their embedding: it
takes the items around them to see how fine the differences are there. This was chosen so that context has
something to say; in a domain where all classes are of one width a cosine is enough.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream

_DOMAIN, _CLASSES, _ITEMS = 0, 1, 2


@dataclass(frozen=True)
class EmbeddingDomain:
    r"""Where embeddings come from.

    .. math::
        x = Q\bigl(\tau \circ (c_f + r_f c_y) + r_f\, s_y\, \sigma \circ a_y \circ \varepsilon\bigr)

    for an item of class :math:`y` in family :math:`f`: a rotation :math:`Q`, standard normal centres
    :math:`c_f` of families and :math:`c_y` of classes and noise :math:`\varepsilon`; the fineness
    :math:`r_f` of a family, log-uniform from `finest` to 1; a scale :math:`s_y` and an anisotropy
    :math:`a_y` of each class, log-normal, the latter for each direction alone; and two profiles:
    :math:`\tau` is `separation` in the first `n_telling` directions and 0 elsewhere; :math:`\sigma` is
    `nuisance` in the last `n_nuisance` directions and 1 elsewhere. Everything is divided by a constant, so
    that coordinates are of order 1.

    Raises
    ------
    InvalidInputError
        If there are more directions of either kind than the width has.

    References
    ----------
    Ioffe: Probabilistic linear discriminant analysis. ECCV 2006. DOI 10.1007/11744085_41

    Examples
    --------
    >>> items, labels = EmbeddingDomain().mixture(1000, seed=0)
    >>> items.shape, items.dtype.name
    ((1000, 128), 'float32')
    """

    width: int = 128
    n_telling: int = 48
    separation: float = 1.5
    n_nuisance: int = 16
    nuisance: float = 3.0
    scale_deviation: float = 0.15
    """Standard deviation of the logarithm of a class's scale."""
    anisotropy: float = 0.2
    """Standard deviation of the logarithm of a class's width in each direction."""
    family_size: float = 8.0
    """Classes of a family on average."""
    finest: float = 0.5
    """How near the classes of the finest family are to each other, and how narrow, beside the coarsest."""
    largest_class: int = 10_000
    seed: int = 0
    """Of the rotation. Networks are trained and judged in one domain, on different classes."""

    def __post_init__(self) -> None:
        if self.n_telling + self.n_nuisance > self.width or min(self.n_telling, self.n_nuisance) < 0:
            raise InvalidInputError(
                f"n_telling and n_nuisance must fit into the width {self.width}. "
                f"Got {self.n_telling} and {self.n_nuisance}."
            )

    @cached_property
    def rotation(self) -> Float[np.ndarray, "d d"]:
        """Q."""
        rotation, _ = np.linalg.qr(stream(self.seed, _DOMAIN).normal(size=(self.width, self.width)))
        return rotation.astype(np.float32)

    @property
    def within(self) -> Float[np.ndarray, " d"]:
        """The standard deviation within a class of scale 1, by direction."""
        return np.where(np.arange(self.width) < self.width - self.n_nuisance, 1.0, self.nuisance)

    @property
    def between(self) -> Float[np.ndarray, " d"]:
        """The standard deviation of the centres, by direction."""
        return np.where(np.arange(self.width) < self.n_telling, self.separation, 0.0)

    @property
    def _unit(self) -> float:
        return float(np.sqrt(np.mean(self.within**2 + self.between**2)))

    def class_sizes(self, n_items: int, rng: np.random.Generator) -> Int[np.ndarray, " k"]:
        """Log-uniform sizes from 1 to the largest class, or a tenth of the set, until the set is full."""
        largest = max(1, min(self.largest_class, n_items // 10))
        sizes: list[int] = []
        while (left := n_items - sum(sizes)) > 0:
            drawn = int(np.exp(rng.uniform(0.0, np.log(largest + 1.0))))
            sizes.append(min(max(1, drawn), largest, left))
        return np.array(sizes)

    def draw(
        self, labels: Int[np.ndarray, "*n"], n_classes: int, rng: np.random.Generator
    ) -> Float[np.ndarray, "*n d"]:
        """Items of new classes with these labels, before the rotation: the first directions tell."""
        centres, widths = self._classes(n_classes, rng)
        plain = rng.standard_normal((*labels.shape, self.width), dtype=np.float32)
        plain *= widths[labels]
        plain += centres[labels]
        return plain

    def _classes(
        self, n_classes: int, rng: np.random.Generator
    ) -> tuple[Float[np.ndarray, "k d"], Float[np.ndarray, "k d"]]:
        """The centre of each class, and its width in each direction, single precision."""
        n_families = max(1, round(n_classes / self.family_size))
        family = rng.integers(n_families, size=n_classes)
        fineness = np.exp(rng.uniform(np.log(self.finest), 0.0, size=n_families))[family][:, None]
        offsets = rng.normal(size=(n_families, self.width))[family]
        centres = self.between * (offsets + fineness * rng.normal(size=(n_classes, self.width)))
        scales = np.exp(rng.normal(size=(n_classes, 1)) * self.scale_deviation)
        anisotropy = np.exp(rng.normal(size=(n_classes, self.width)) * self.anisotropy)
        widths = fineness * scales * anisotropy * self.within
        return (centres / self._unit).astype(np.float32), (widths / self._unit).astype(np.float32)

    def mixture(self, n_items: int, seed: int) -> tuple[Float[np.ndarray, "n d"], Int[np.ndarray, " n"]]:
        """A set of `n_items` items in random order, and their classes.

        Raises
        ------
        InvalidInputError
            If there are no items.
        """
        if n_items < 1:
            raise InvalidInputError(f"n_items must be at least 1. Got {n_items}.")
        rng = stream(seed, _CLASSES, n_items)
        sizes = self.class_sizes(n_items, rng)
        labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        return self.draw(labels, len(sizes), rng) @ self.rotation.T, labels
