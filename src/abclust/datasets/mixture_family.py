"""The law of generated sets of vectors: which clusters there are, and what else a table does to them."""

import dataclasses
from dataclasses import dataclass

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

SHAPES = ("gaussian", "student", "box", "exponential", "ball", "laplace")
CURVES = ("moons", "rings", "spirals", "strips", "arcs", "petals", "snakes", "waves")


@dataclass(frozen=True)
class MixtureFamily:
    """What :func:`~abclust.datasets.mixture_sets.mixture_batch` draws from; every set draws anew.

    Raises
    ------
    InvalidInputError
        If a range is empty, a share is not between 0 and 1, or a shape has another name.

    Examples
    --------
    >>> MixtureFamily(n_clusters=(2, 5), shapes=("box",), curve_share=0.0).shapes
    ('box',)
    """

    n_clusters: tuple[int, int] = (1, 50)
    """Fewest and most clusters, on a logarithmic scale. Never more than a third of the items, unless the
    fewest ask for it."""
    few_clusters: float = 1.5
    """Power of the uniform number behind a number of clusters: above 1 small numbers come more often."""
    single_share: float = 0.25
    """Share of the sets that are one cluster, if one is allowed."""
    evenness: tuple[float, float] = (0.5, 20.0)
    """Range of the Dirichlet parameter of the sizes: below 1 few clusters hold most items."""
    equal_share: float = 0.3
    """Share of the sets whose clusters have equally many items, as nearly as can be: so are many collections
    that somebody labelled."""
    separation: tuple[float, float] = (2.0, 14.0)
    """Mean distance of a centre to the nearest other one, in deviations of a cluster; log-uniform."""
    spaced_share: float = 0.0
    """Share of the sets around centres whose centres keep their distance: none is much nearer to another one
    than the others are."""
    shapes: tuple[str, ...] = ("gaussian", "student", "box", "exponential", "ball")
    """Of clusters around a centre, by name; the first one has half of the weight."""
    stretched_share: float = 0.5
    """Share of the sets with unequal axes, long or bent clusters."""
    largest_inequality: float = 1.2
    """Of the axes of a stretched set's clusters: the largest deviation of their logarithms."""
    longest: float = 5.0
    """Of a stretched set's clusters: the largest further deviation along a direction, straight or bent."""
    tilted_share: float = 0.7
    """Share of those, from two columns on, in which the axes of each cluster point in directions of its own,
    not along the columns."""
    clumped_share: float = 0.35
    """Share of the sets around centres whose clusters consist of many small clumps: neighbours have more in
    common than their cluster, as drawings by one hand and texts on one matter do."""
    density_deviation: float = 0.7
    """Largest deviation of the logarithm of the clusters' sizes in space."""
    uninformative_share: float = 0.5
    """Share of the sets in which some columns know nothing of the clusters."""
    curve_share: float = 0.25
    """Share of the sets, from two columns on, that are curves in a plane, not clusters around centres."""
    curves: tuple[str, ...] = ("moons", "rings", "spirals", "strips", "arcs", "petals", *3 * ("snakes",))
    """Arrangements of curves, by name; one that stands here three times is drawn three times as often. Snakes
    have the most ways to be."""
    even_share: float = 0.3
    """Share of the sets of curves whose items follow each other at equal distances."""
    outlier_share: float = 0.2
    """Share of the sets with outliers, up to 8 % of their items; an outlier keeps its label."""
    correlated_share: float = 0.3
    """Share of the sets in which factors without any cluster move many columns together."""
    caused_share: float = 0.35
    """Share of the sets around centres, from three columns on, whose columns all measure the same causes, few
    or many of them, and of less and less weight."""
    redundant_share: float = 0.0
    """Share of the sets, from three columns on, in which some columns are sums of others, exactly or
    nearly."""
    bent_share: float = 0.25
    """Share of the sets, from two columns on, that a smooth random map of all columns bends."""
    rotated_share: float = 0.5
    """Share of the sets whose columns are mixed by random reflections."""
    table_share: float = 0.35
    """Share of the sets whose columns are skewed, rounded, cut in two, or categories, one column each."""
    sphere_share: float = 0.2
    """Share of the sets, from eight columns on, that lie on a sphere as embeddings do."""

    def __post_init__(self) -> None:
        for name in ("n_clusters", "evenness", "separation"):
            fewest, most = getattr(self, name)
            if not 0 < fewest <= most:
                raise InvalidInputError(
                    f"{name} must be a range (smallest, largest) above 0. Got {(fewest, most)}."
                )
        for field in dataclasses.fields(self):
            if field.name.endswith("_share") and not 0 <= getattr(self, field.name) <= 1:
                raise InvalidInputError(
                    f"{field.name} must be between 0 and 1. Got {getattr(self, field.name)}."
                )
        if not self.few_clusters > 0:
            raise InvalidInputError(f"few_clusters must be positive. Got {self.few_clusters}.")
        for name in ("density_deviation", "largest_inequality", "longest"):
            if getattr(self, name) < 0:
                raise InvalidInputError(f"{name} must not be negative. Got {getattr(self, name)}.")
        if not self.shapes or not self.curves:
            raise InvalidInputError(
                f"shapes and curves must name at least one. Got {self.shapes} and {self.curves}."
            )
        for shape in self.shapes:
            check_choice("shape", shape, SHAPES)
        for curve in self.curves:
            check_choice("curve", curve, CURVES)
