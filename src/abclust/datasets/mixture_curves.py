"""Clusters that are noisy curves of a plane: moons, rings, spirals, strips, arcs, petals, snakes, waves.

All of them are one formula, in polar coordinates around a point of the curve's own, for t from 0 to 1:

    p(t) = m + r(t) (cos a(t), sin a(t)),
    r(t) = r0 + (r1 - r0) t + w sin(2 pi f t),
    a(t) = a0 + (a1 - a0) t.

An arc has r0 = r1, a ring goes all around, a spiral has r0 < r1, a strip is an arc of a very large circle.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from jaxtyping import Float, Int

from abclust.datasets.mixture_family import MixtureFamily
from abclust.datasets.mixture_labels import of_each_item

Table = Float[np.ndarray, "B k"]
STRIP_RADIUS = 30.0


@dataclass(frozen=True, eq=False)
class _Curves:
    """The parameters of the curves of some sets, and how far they may be blurred without touching."""

    x: Table
    y: Table
    first_radius: Table
    last_radius: Table
    first_angle: Table
    last_angle: Table
    gap: Table
    wave: Table
    frequency: Table


def draw_curves(
    counts: Int[np.ndarray, " B"],
    labels: Int[np.ndarray, "B n"],
    family: MixtureFamily,
    generator: np.random.Generator,
) -> tuple[Float[np.ndarray, "B n 2"], Float[np.ndarray, "B 1 1"]]:
    """Points of the plane, and the deviation of their noise in each set."""
    n_sets, most = len(labels), int(counts.max())
    kinds = generator.integers(len(family.curves), size=n_sets)
    table = np.zeros((len(fields(_Curves)), n_sets, most))
    for code, name in enumerate(family.curves):
        if (of_kind := kinds == code).any():
            curves = _ARRANGEMENTS[name](counts[of_kind], most, generator)
            table[:, of_kind] = np.broadcast_to(
                np.stack(np.broadcast_arrays(*(getattr(curves, field.name) for field in fields(_Curves)))),
                (len(table), int(of_kind.sum()), most),
            )
    of_item = _Curves(*(of_each_item(each, labels) for each in table))

    crowding = generator.uniform(0.5, 2.0, (n_sets, 1))  # above 1, more items near the beginning
    places = generator.random(labels.shape)
    is_even = generator.random((n_sets, 1)) < family.even_share
    places = np.where(is_even, _evenly_spaced(places, labels), places)
    places = places ** np.where(generator.random((n_sets, 1)) < 0.5, 1.0, crowding)
    radii = of_item.first_radius + (of_item.last_radius - of_item.first_radius) * places
    radii = radii + of_item.wave * np.sin(2 * np.pi * of_item.frequency * places)
    angles = of_item.first_angle + (of_item.last_angle - of_item.first_angle) * places
    points = np.stack([of_item.x + radii * np.cos(angles), of_item.y + radii * np.sin(angles)], axis=2)

    gaps = table[6].min(axis=1)[:, None, None]
    noise = gaps * np.exp(generator.uniform(np.log(0.02), np.log(0.3), (n_sets, 1, 1)))
    points += noise * generator.standard_normal(points.shape)
    return points.astype(np.float32), noise


def _evenly_spaced(
    places: Float[np.ndarray, "B n"], labels: Int[np.ndarray, "B n"]
) -> Float[np.ndarray, "B n"]:
    """The items of each cluster in the same order, but equally far from each other between 0 and 1."""
    order = np.argsort(labels + places, axis=1)  # cluster by cluster, along each curve
    sizes = np.stack([np.bincount(own, minlength=int(labels.max()) + 1) for own in labels])
    begins = np.cumsum(sizes, axis=1) - sizes
    ranks = np.argsort(order, axis=1) - of_each_item(begins, labels)
    return (ranks + 0.5) / of_each_item(sizes, labels)


def _curves(
    x: Table, y: Table, radius: Table, first_angle: Table, last_angle: Table, gap: Table, **others: Table
) -> _Curves:
    none = np.zeros_like(radius)
    return _Curves(
        x=x,
        y=y,
        first_radius=others.get("first_radius", radius),
        last_radius=radius,
        first_angle=first_angle,
        last_angle=last_angle,
        gap=gap,
        wave=others.get("wave", none),
        frequency=others.get("frequency", none),
    )


def _moons(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Half rings that reach into each other in a chain, alternately open below and above."""
    place = np.arange(most) * np.ones((len(counts), 1))
    is_below = place % 2
    lift = generator.uniform(0.1, 0.9, (len(counts), 1))
    extent = generator.uniform(0.35, 0.5, (len(counts), 1)) * np.pi
    middle = np.pi * (0.5 + is_below)
    radius = np.ones_like(place)
    gap = np.minimum(lift, 1 - lift) * radius
    return _curves(place, lift * is_below, radius, middle - extent, middle + extent, gap + 0.2)


def _rings(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Rings around one point; the innermost may be a dot."""
    shape = (len(counts), most)
    gaps = generator.uniform(0.3, 1.0, shape)
    inner = np.where(
        generator.random((len(counts), 1)) < 0.3, 0.0, generator.uniform(0.2, 1.0, (len(counts), 1))
    )
    radius = inner + np.cumsum(gaps, axis=1) - gaps[:, :1]
    start = generator.uniform(0, 2 * np.pi, shape)
    around = (
        2
        * np.pi
        * np.where(generator.random((len(counts), 1)) < 0.7, 1.0, generator.uniform(0.6, 1.0, shape))
    )
    zero = np.zeros(shape)
    return _curves(zero, zero, radius, start, start + around, gaps)


def _spirals(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Arms of one spiral, turned against each other."""
    arms = counts[:, None]
    turns = generator.uniform(0.4, 1.6, (len(counts), 1)) * np.minimum(1.0, 3.0 / arms)
    first = 2 * np.pi * np.arange(most) / arms + generator.uniform(0, 2 * np.pi, (len(counts), 1))
    radius = np.ones_like(first)
    gap = radius / (arms * np.maximum(turns, 0.5)) / 1.5
    zero = np.zeros_like(first)
    start = generator.uniform(0.05, 0.3, (len(counts), 1)) * radius
    return _curves(zero, zero, radius, first, first + 2 * np.pi * turns, gap, first_radius=start)


def _strips(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Long parallel strips, each pushed along a little."""
    shape = (len(counts), most)
    gap = generator.uniform(0.15, 0.8, (len(counts), 1)) * np.ones(shape)
    push = generator.uniform(-0.5, 0.5, shape)
    half = generator.uniform(0.6, 1.0, shape) / STRIP_RADIUS
    place = gap * np.arange(most)
    radius = np.full(shape, STRIP_RADIUS)
    return _curves(push, place - radius, radius, np.pi / 2 - half, np.pi / 2 + half, gap)


def _arcs(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Arcs of any length, from dots to rings, anywhere in the plane; they may cross."""
    shape = (len(counts), most)
    reach = generator.uniform(0.6, 1.6, (len(counts), 1)) * np.sqrt(counts)[:, None]
    x, y = reach * generator.uniform(-1.0, 1.0, (2, *shape))
    radius = generator.uniform(0.0, 1.0, shape)
    start = generator.uniform(0, 2 * np.pi, shape)
    extent = 2 * np.pi * generator.uniform(0.15, 1.0, shape)
    return _curves(x, y, radius, start, start + extent, np.full(shape, 0.6))


def _petals(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Rings and arcs whose radius swings: around one point and all alike, or anywhere and each by itself."""
    shape = (len(counts), most)
    around = generator.random((len(counts), 1)) < 0.5
    rings, arcs = _rings(counts, most, generator), _arcs(counts, most, generator)
    kinds = {
        field.name: np.where(around, getattr(rings, field.name), getattr(arcs, field.name))
        for field in fields(_Curves)
    }
    alike = generator.random((2, len(counts), 1)) * np.ones(shape)
    swing, times = np.where(around, alike, generator.random((2, *shape)))
    start = np.where(around, kinds["first_angle"][:, :1], kinds["first_angle"])
    length = kinds["last_angle"] - kinds["first_angle"]
    return replace(
        _Curves(**kinds),
        first_angle=start,
        last_angle=start + np.where(around, length[:, :1], length),
        wave=(0.1 + 0.3 * swing) * np.where(around, 1.0, kinds["last_radius"]),
        frequency=np.floor(1 + 5 * times),
    )


def _snakes(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Arcs that swing about their way: side by side and all alike, or anywhere and each by itself."""
    shape = (len(counts), most)
    beside = generator.random((len(counts), 1)) < 0.5

    def alike_or_not(low: float, high: float) -> Table:
        return np.where(
            beside, generator.uniform(low, high, (len(counts), 1)), generator.uniform(low, high, shape)
        )

    bend = np.exp(alike_or_not(np.log(0.5), np.log(4.0)))  # the radius of the way
    half = np.minimum(0.9 * np.pi, alike_or_not(0.5, 1.5) / bend)
    gap = np.where(beside, generator.uniform(0.15, 0.8, (len(counts), 1)), np.full(shape, 0.6))
    reach = generator.uniform(0.6, 1.6, (len(counts), 1)) * np.sqrt(counts)[:, None]
    middle = np.where(beside, 0.0, generator.uniform(0, 2 * np.pi, shape))
    x, y = np.where(beside, 0.0, reach * generator.uniform(-1.0, 1.0, (2, *shape)))
    radius = bend + np.where(beside, gap * np.arange(most), 0.0)
    return _curves(
        x,
        y,
        radius,
        middle - half,
        middle + half,
        gap,
        wave=alike_or_not(0.05, 0.4) * np.minimum(bend, 1.0),
        frequency=alike_or_not(0.5, 3.0),
    )


def _waves(counts: Int[np.ndarray, " B"], most: int, generator: np.random.Generator) -> _Curves:
    """Parallel strips that swing together."""
    strips = _strips(counts, most, generator)
    swing = generator.uniform(0.1, 0.4, (len(counts), 1)) * np.ones_like(strips.x)
    times = generator.uniform(1.0, 2.5, (len(counts), 1)) * np.ones_like(strips.x)
    return _curves(
        0 * strips.x,
        strips.y,
        strips.last_radius,
        0 * strips.x + np.pi / 2 - 1 / STRIP_RADIUS,
        0 * strips.x + np.pi / 2 + 1 / STRIP_RADIUS,
        strips.gap,
        wave=swing,
        frequency=times,
    )


_ARRANGEMENTS: dict[str, Callable[[Int[np.ndarray, " B"], int, np.random.Generator], _Curves]] = {
    "moons": _moons,
    "rings": _rings,
    "spirals": _spirals,
    "strips": _strips,
    "arcs": _arcs,
    "petals": _petals,
    "snakes": _snakes,
    "waves": _waves,
}
