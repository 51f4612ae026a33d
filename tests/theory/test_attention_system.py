"""The dynamical system is this library's attention, and nothing else."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abclust.foundations.errors import InvalidInputError
from abclust.theory import AttentionSystem, random_system
from abclust.theory.attention_system import check_points, float64_compatibility

COMPATIBILITIES = ["multiplicative", "additive"]


def weights_by_loops(points: np.ndarray, system: AttentionSystem, compatibility: str) -> np.ndarray:
    """softmax of compat(x_i W_q, x_j W_k), pair by pair, from the paper's Table 1."""
    queries, keys = points @ system.query_weights.numpy(), points @ system.key_weights.numpy()
    scores = np.empty((len(points), len(points)))
    for i, query in enumerate(queries):
        for j, key in enumerate(keys):
            if compatibility == "multiplicative":
                scores[i, j] = query @ key / np.sqrt(len(query))
            else:
                (weight,) = system.compatibility.parameters()
                scores[i, j] = np.tanh(query + key) @ weight.detach().numpy().ravel()
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
def test_weights_and_step_are_the_papers_equation(compatibility: str) -> None:
    points = np.random.default_rng(0).normal(size=(7, 3))
    system = random_system(3, compatibility, head_width=5, seed=1)
    expected = weights_by_loops(points, system, compatibility)
    np.testing.assert_allclose(system.weights(points), expected, rtol=1e-12)
    np.testing.assert_allclose(system.step(points), expected @ points, rtol=1e-11)
    np.testing.assert_allclose(system.step(points, skip=True), points + expected @ points, rtol=1e-11)


@given(
    n_items=st.integers(1, 17),
    n_features=st.integers(1, 7),
    compatibility=st.sampled_from(COMPATIBILITIES),
    seed=st.integers(0, 1000),
)
def test_weights_are_positive_and_every_row_sums_to_one(
    n_items: int, n_features: int, compatibility: str, seed: int
) -> None:
    points = np.random.default_rng(seed).normal(size=(n_items, n_features))
    weights = random_system(n_features, compatibility, seed=seed).weights(points)
    assert (weights > 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)


def test_edge_weights_multiply_the_weights_of_the_plain_system() -> None:
    generator = np.random.default_rng(2)
    points, edges = generator.normal(size=(5, 3)), generator.uniform(0.1, 2, size=(5, 5))
    plain = random_system(3, seed=3)
    system = AttentionSystem(
        plain.compatibility, plain.query_weights, plain.key_weights, torch.from_numpy(edges)
    )
    expected = plain.weights(points) * edges
    np.testing.assert_allclose(system.weights(points), expected / expected.sum(axis=1, keepdims=True))


def test_orbit_repeats_the_step() -> None:
    points, system = np.random.default_rng(4).normal(size=(5, 2)), random_system(2, seed=5)
    orbit = system.run(points, 3, skip=True)
    assert orbit.shape == (4, 5, 2)
    np.testing.assert_array_equal(orbit[0], points)
    np.testing.assert_array_equal(orbit[3], system.step(orbit[2], skip=True))


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
def test_the_same_seed_gives_the_same_system_and_leaves_torchs_stream_alone(compatibility: str) -> None:
    points = np.random.default_rng(6).normal(size=(5, 2))
    torch.manual_seed(11)
    first = random_system(2, compatibility, seed=7)
    after = torch.rand(1)
    torch.manual_seed(11)
    assert torch.equal(torch.rand(1), after)
    np.testing.assert_array_equal(
        first.weights(points), random_system(2, compatibility, seed=7).weights(points)
    )
    assert not np.array_equal(first.weights(points), random_system(2, compatibility, seed=8).weights(points))


def test_everything_is_float64() -> None:
    assert all(
        parameter.dtype == torch.float64 for parameter in float64_compatibility("additive", 3).parameters()
    )
    assert random_system(2, "additive", seed=0).step(np.eye(2)).dtype == np.float64


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros(3), "shape \\(3,\\)"),
        (np.zeros((0, 2)), "shape \\(0, 2\\)"),
        (np.zeros((2, 0)), "shape \\(2, 0\\)"),
        (np.array([[np.nan, 0.0]]), "finite"),
        (np.array([[np.inf, 0.0]]), "finite"),
    ],
)
def test_bad_points_are_refused(points: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        check_points(points)


def test_bad_options_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="n_features"):
        random_system(0)
    with pytest.raises(InvalidInputError, match="n_steps"):
        random_system(2, seed=0).run(np.eye(2), -1)
    with pytest.raises(InvalidInputError, match="'additive', 'multiplicative'"):
        random_system(2, "cosine")
