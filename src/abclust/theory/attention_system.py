"""Attention as a dynamical system (paper App. A.1, its first equation), run with this library's own Att."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from abclust.attention.compatibility import Compatibility, build_compatibility
from abclust.attention.visibility import Visibility
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import Seed, as_generator


@dataclass(frozen=True, eq=False)
class AttentionSystem:
    """x_{i,t+1} = sum_j w_ij x_{j,t} with w_i = softmax_j compat(x_{i,t} W^(q), x_{j,t} W^(k)).

    Single-headed self-attention in which the values are the points themselves (paper App. A.1); with skips
    the sum is added to x_{i,t} instead of taking its place. Everything is float64.

    Attributes
    ----------
    compatibility
        Any :class:`~abclust.attention.compatibility.Compatibility` in float64 with one head.
    query_weights, key_weights
        W^(q) and W^(k). Shape (d, p).
    edge_weights
        Positive factors on exp(compat), as in the network's explicit context. Shape (n, n); None is all ones.
    """

    compatibility: Compatibility
    query_weights: Float[Tensor, "d p"]
    key_weights: Float[Tensor, "d p"]
    edge_weights: Float[Tensor, "n n"] | None = None

    @torch.no_grad()
    def weights(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n n"]:
        """w_ij: positive, and every row sums to one."""
        queries, keys, _, visibility = self._inputs(points)
        return self.compatibility.weights(queries, keys, visibility)[0, 0].numpy()

    @torch.no_grad()
    def attend(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Att(X W^(q), X W^(k), X), by the same call as in the network's blocks."""
        return self.compatibility.attend(*self._inputs(points))[0, 0].numpy()

    def step(self, points: Float[np.ndarray, "n d"], skip: bool = False) -> Float[np.ndarray, "n d"]:
        """X_{t+1} from X_t: Att alone, or X_t + Att with the skip connection."""
        attended = self.attend(points)
        return points + attended if skip else attended

    def run(
        self, points: Float[np.ndarray, "n d"], n_steps: int, skip: bool = False
    ) -> Float[np.ndarray, "steps n d"]:
        """X_0, ..., X_T: the orbit of a set under T = `n_steps` steps. Shape (T + 1, n, d)."""
        if n_steps < 0:
            raise InvalidInputError(f"n_steps must be at least 0. Got {n_steps}.")
        orbit = [check_points(points)]
        for _ in range(n_steps):
            orbit.append(self.step(orbit[-1], skip))
        return np.stack(orbit)

    def _inputs(self, points: Float[np.ndarray, "n d"]) -> tuple[Tensor, Tensor, Tensor, Visibility]:
        values = torch.from_numpy(check_points(points))  # (n, d)
        edges = None if self.edge_weights is None else self.edge_weights[None]
        visibility = Visibility.of(values[None], adjacency=edges)
        queries, keys = values @ self.query_weights, values @ self.key_weights  # (n, p)
        return queries[None, None], keys[None, None], values[None, None], visibility


def random_system(
    n_features: int,
    compatibility: str = "multiplicative",
    *,
    head_width: int | None = None,
    spread: float = 1.0,
    seed: Seed = None,
) -> AttentionSystem:
    """An attention with random projections: entries of W^(q), W^(k) and of compat's own weights are Gaussian.

    Parameters
    ----------
    n_features
        d, the dimension of the points.
    compatibility
        "multiplicative", "additive" or any registered name (paper Table 1).
    head_width
        p, the length of a query and a key; d unless given.
    spread
        Standard deviation of the entries of W^(q) and W^(k) times sqrt(d): larger means more uneven weights.
    seed
        Anything that :func:`abclust.foundations.random_state.as_generator` takes.

    Examples
    --------
    >>> system = random_system(2, "additive", seed=0)
    >>> system.weights(np.eye(2)).sum(axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    width = n_features if head_width is None else head_width
    if n_features < 1 or width < 1:
        raise InvalidInputError(
            f"n_features and head_width must be at least 1. Got {n_features} and {width}."
        )
    generator = as_generator(seed)
    module = float64_compatibility(compatibility, width)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(_gaussian(generator, tuple(parameter.shape)))
    scale = spread / n_features**0.5
    queries, keys = (scale * _gaussian(generator, (n_features, width)) for _ in range(2))
    return AttentionSystem(module, queries, keys)


def float64_compatibility(name: str, width: int) -> Compatibility:
    """A registered compatibility for one head, in float64; torch's random stream stays where it was."""
    with torch.random.fork_rng(devices=[]):
        return build_compatibility(name, width, heads=1).double()


def check_points(points: np.ndarray) -> Float[np.ndarray, "n d"]:
    """`points` as a float64 array of n >= 1 finite points in d >= 1 dimensions.

    Raises
    ------
    InvalidInputError
        If they are not.
    """
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInputError(
            f"points must be an array (n, d) with n >= 1 and d >= 1. Got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise InvalidInputError("points must be finite. Got NaN or an infinity.")
    return array


def _gaussian(generator: np.random.Generator, shape: tuple[int, ...]) -> Tensor:
    return torch.from_numpy(np.asarray(generator.standard_normal(shape)))
