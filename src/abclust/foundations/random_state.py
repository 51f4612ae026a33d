"""One way to turn what a caller calls a seed into a numpy generator."""

import numpy as np

from abclust.foundations.errors import InvalidInputError

Seed = int | np.integer | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None


def as_generator(seed: Seed) -> np.random.Generator:
    """Turn a seed into a generator: an int, a SeedSequence, a Generator (kept), a RandomState, or None.

    A ``RandomState`` (scikit-learn's habit) seeds a new generator with one draw, so that the caller's own
    stream moves on and two calls differ.

    Examples
    --------
    >>> bool(as_generator(3).integers(100) == as_generator(3).integers(100))
    True
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.RandomState):
        return np.random.default_rng(seed.randint(np.iinfo(np.int32).max))
    if seed is None or isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng(seed)
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0:
        return np.random.default_rng(int(seed))
    raise InvalidInputError(
        f"seed must be a non-negative integer, a numpy random generator or None. Got {seed!r}."
    )


def stream(seed: int, *path: int) -> np.random.Generator:
    """The generator of one place in a tree of streams: same seed and path, same numbers, whoever asks.

    ``stream(seed, step, worker_item)`` does not depend on how many workers there are or in which order they
    ask, which is what makes samplers reproducible across worker counts and runs resumable.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))
