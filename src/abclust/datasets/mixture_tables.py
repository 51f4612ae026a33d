"""What tables do to clusters: outliers, factors, causes, bent spaces, skewed, rounded, categories."""

import numpy as np
from jaxtyping import Bool, Float, Int

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_labels import of_each_item

Points = Float[np.ndarray, "B n d"]
LARGEST_OUTLIER_SHARE = 0.08
BENDS = 16
"""Hidden units of the random map that bends a space."""
LARGEST_OWN_NOISE = 0.7
"""Of a column that measures causes, in units of what one cluster of deviation 1 varies by in it."""
NEARLY_SHARE, SUM_NOISE = 0.5, (1e-3, 0.1)
"""Share of the sets with sums among their columns in which these are not exact, and the range of what they
are off by, in deviations."""
EFFECTS = ("none", "skewed", "rounded", "cut", "rooted")
EFFECT_WEIGHTS = (0.35, 0.25, 0.2, 0.1, 0.1)


def add_outliers(points: Points, family: MixtureFamily, generator: np.random.Generator) -> Points:
    """Some items of some sets thrown off by 1 to 4 deviations of the whole set, in all columns."""
    n_sets, n_points, _ = points.shape
    share = LARGEST_OUTLIER_SHARE * generator.random((n_sets, 1))
    share *= generator.random((n_sets, 1)) < family.outlier_share
    sets, items = np.nonzero(generator.random((n_sets, n_points)) < share)
    if len(sets):
        spread = points.std(axis=1)[sets] * generator.uniform(1.0, 4.0, (len(sets), 1))
        points[sets, items] += (spread * generator.standard_normal(spread.shape)).astype(np.float32)
    return points


def add_factors(points: Points, is_chosen: Bool[np.ndarray, " B"], generator: np.random.Generator) -> Points:
    """x + g F with two Gaussian factors g of an item that know nothing of its cluster."""
    sets = np.flatnonzero(is_chosen)
    _, n_points, n_features = points.shape
    if len(sets) and n_features > 1:
        loadings = generator.standard_normal((len(sets), 2, n_features), dtype=np.float32)
        loadings *= generator.uniform(0.0, 1.5, (len(sets), 1, 1)).astype(np.float32)
        factors = generator.standard_normal((len(sets), n_points, 2), dtype=np.float32)
        points[sets] += factors @ loadings
    return points


def measure_causes(
    causes: Float[np.ndarray, "B n m"], n_features: int, generator: np.random.Generator
) -> Points:
    """(x S) G + e: d columns that all measure the same m causes x, each with noise e of its own.

    Cause j weighs j^-a, and G is Gaussian. Measurements, pixels and embeddings are like that: there are more
    columns than things that vary, and a few directions hold most of the variance.
    """
    n_sets, n_points, n_causes = causes.shape
    weights = np.arange(1, n_causes + 1) ** -generator.uniform(0.0, 1.0, (n_sets, 1))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    loadings = generator.standard_normal((n_sets, n_causes, n_features), dtype=np.float32)
    noise = generator.uniform(0.0, LARGEST_OWN_NOISE, (n_sets, 1, 1)).astype(np.float32)
    own = noise * generator.standard_normal((n_sets, n_points, n_features), dtype=np.float32)
    return causes @ (weights[..., None].astype(np.float32) * loadings) + own


def with_sums(points: Float[np.ndarray, "B n m"], n_features: int, generator: np.random.Generator) -> Points:
    """The columns x and sums x W of them, exactly in half of the sets, nearly in the others; in any order.

    Tables repeat themselves: totals, the same in another unit, readings of one thing by two instruments.
    """
    n_sets, _, n_measured = points.shape
    deviations = points.std(axis=1)[..., None] + 1e-6  # columns have units of their own
    weights = generator.standard_normal((n_sets, n_measured, n_features - n_measured), dtype=np.float32)
    sums = points @ (weights / deviations)
    is_near = generator.random((n_sets, 1, 1)) < NEARLY_SHARE
    low, high = np.log(SUM_NOISE)
    share = is_near * np.exp(generator.uniform(low, high, (n_sets, 1, 1)))
    noise = share * sums.std(axis=1, keepdims=True) * generator.standard_normal(sums.shape)
    columns = np.concatenate([points, sums + noise.astype(np.float32)], axis=2)
    return columns[..., generator.permutation(n_features)]


def bend_space(points: Points, is_chosen: Bool[np.ndarray, " B"], generator: np.random.Generator) -> Points:
    """z + tanh(z W + b) V with random W, b and V, z being x in deviations of each column.

    Clusters that were alike come out each of its own shape, and what is far apart in one column depends on
    the others: measured data are seldom linear in what caused them.
    """
    sets = np.flatnonzero(is_chosen)
    n_features = points.shape[2]
    if len(sets) and n_features > 1:
        chosen = points[sets]
        mean, deviation = chosen.mean(axis=1, keepdims=True), chosen.std(axis=1, keepdims=True) + 1e-6
        inner = generator.standard_normal((len(sets), n_features, BENDS), dtype=np.float32)
        inner *= generator.uniform(1.0, 4.0, (len(sets), 1, 1)).astype(np.float32) / np.sqrt(n_features)
        outer = generator.standard_normal((len(sets), BENDS, n_features), dtype=np.float32)
        outer *= generator.uniform(0.5, 3.0, (len(sets), 1, 1)).astype(np.float32) / np.sqrt(BENDS)
        shift = generator.standard_normal((len(sets), 1, BENDS), dtype=np.float32)
        standard = (chosen - mean) / deviation
        points[sets] = mean + deviation * (standard + np.tanh(standard @ inner + shift) @ outer)
    return points


def mix_columns(points: Points, is_chosen: Bool[np.ndarray, " B"], generator: np.random.Generator) -> Points:
    """Two random reflections x - 2 (x . v) v: every column becomes a mixture of all, no distance changes."""
    sets = np.flatnonzero(is_chosen)
    if len(sets):
        mixed = points[sets]
        for _ in range(2):
            normal = generator.standard_normal((len(sets), points.shape[2], 1), dtype=np.float32)
            normal /= np.linalg.norm(normal, axis=1, keepdims=True)
            mixed = mixed - 2 * (mixed @ normal) @ normal.swapaxes(1, 2)
        points[sets] = mixed
    return points


def put_on_sphere(
    points: Points, is_chosen: Bool[np.ndarray, " B"], generator: np.random.Generator
) -> Points:
    """Around a common direction and of unit length, as embeddings of texts are."""
    sets = np.flatnonzero(is_chosen)
    if len(sets):
        chosen = points[sets]
        shift = generator.standard_normal((len(sets), 1, points.shape[2]))
        shift *= generator.uniform(0.0, 1.5, (len(sets), 1, 1)) * chosen.std(axis=(1, 2), keepdims=True)
        chosen = chosen + shift.astype(np.float32)
        points[sets] = chosen / (np.linalg.norm(chosen, axis=2, keepdims=True) + 1e-6)
    return points


def change_columns(
    points: Points, is_chosen: Bool[np.ndarray, " B"], generator: np.random.Generator
) -> Points:
    """Skewed (log-normal), rounded, cut in two, or rooted columns, each by its own draw; and other units."""
    sets = np.flatnonzero(is_chosen)
    if not len(sets):
        return points
    columns = np.ascontiguousarray(points[sets].swapaxes(1, 2))  # (B, d, n)
    columns -= columns.mean(axis=2, keepdims=True)
    columns /= columns.std(axis=2, keepdims=True) + 1e-6
    effects = generator.choice(len(EFFECTS), columns.shape[:2], p=EFFECT_WEIGHTS)
    strength = generator.random((*columns.shape[:2], 1), dtype=np.float32)
    for code, name in enumerate(EFFECTS):
        if name != "none" and (chosen := effects == code).any():
            columns[chosen] = _effect(name, columns[chosen], strength[chosen])
    units = 10 ** generator.uniform(-2.0, 3.0, columns.shape[:2])[..., None]
    points[sets] = (columns * units.astype(np.float32)).swapaxes(1, 2)
    return points


def _effect(
    name: str, columns: Float[np.ndarray, "N n"], strength: Float[np.ndarray, "N 1"]
) -> Float[np.ndarray, "N n"]:
    if name == "skewed":
        return np.exp(np.minimum((0.4 + 0.8 * strength) * columns, 10.0))
    if name == "rounded":
        return np.round(columns * (0.7 + 2.5 * strength))
    if name == "cut":
        return (columns > 2 * strength - 1).astype(np.float32)
    return np.sign(columns) * np.sqrt(np.abs(columns))


def add_categories(
    points: Points,
    labels: Int[np.ndarray, "B n"],
    is_chosen: Bool[np.ndarray, " B"],
    generator: np.random.Generator,
) -> Points:
    """The last columns become a category of each item, one column for each; clusters prefer categories."""
    sets = np.flatnonzero(is_chosen)
    n_categories = int(generator.integers(2, 7))
    if not len(sets) or points.shape[2] <= n_categories:
        return points
    labels = labels[sets]
    preference = generator.uniform(0.0, 3.0, (len(sets), 1, 1))
    preference = preference * generator.standard_normal((len(sets), int(labels.max()) + 1, n_categories))
    chances = of_each_item(preference, labels) + generator.gumbel(size=(*labels.shape, n_categories))
    is_category = chances.argmax(axis=2)[..., None] == np.arange(n_categories)
    points[sets, :, -n_categories:] = is_category
    return points
