"""Two clusters drift apart with skips and collapse without (paper App. A.2 and A.3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.foundations.errors import InvalidInputError
from abclust.theory import (
    BlockWeights,
    attention_by_edges,
    attention_by_projections,
    rates,
    run_two_clusters,
    solved_block_weights,
    two_cluster_corollary,
    two_cluster_proposition,
)
from abclust.theory.two_clusters import Realisation

FRACTION = st.floats(0.02, 0.98)
COMPATIBILITY = st.sampled_from(["multiplicative", "additive"])
REALISATIONS = [attention_by_edges, attention_by_projections]
SIZE = st.integers(2, 7)
WEIGHTS = st.builds(solved_block_weights, SIZE, SIZE, separation=FRACTION, selfishness=FRACTION)


def clusters(weights: BlockWeights, n_features: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(weights.n_items, n_features))
    points[: weights.size_a] += generator.normal(size=n_features)
    return points


@pytest.mark.parametrize("skip", [True, False])
@given(weights=WEIGHTS, n_features=st.integers(1, 11), compatibility=COMPATIBILITY, seed=st.integers(0, 1000))
def test_the_three_identities_hold_for_any_points(
    skip: bool, weights: BlockWeights, n_features: int, compatibility: str, seed: int
) -> None:
    statement = two_cluster_proposition(
        clusters(weights, n_features, seed), weights, compatibility, skip=skip
    )
    # Without skips small differences of large sums remain: the rate may be near 0.
    scale = np.abs(statement.before).max()
    for identity in (statement.within_a, statement.within_b, statement.centroids):
        np.testing.assert_allclose(identity.left, identity.right, rtol=1e-10, atol=1e-13 * scale)


@pytest.mark.parametrize("skip", [True, False])
@given(weights=WEIGHTS, compatibility=COMPATIBILITY, seed=st.integers(0, 1000))
def test_the_three_identities_hold_where_the_compatibilities_decide(
    skip: bool, weights: BlockWeights, compatibility: str, seed: int
) -> None:
    points = clusters(weights, weights.n_items + 5, seed)
    statement = two_cluster_proposition(
        points, weights, compatibility, skip=skip, realisation=attention_by_projections
    )
    for identity in (statement.within_a, statement.within_b, statement.centroids):
        np.testing.assert_allclose(identity.left, identity.right, atol=1e-9)


@pytest.mark.parametrize("realisation", REALISATIONS)
@given(weights=WEIGHTS, compatibility=COMPATIBILITY, seed=st.integers(0, 1000))
def test_clusters_grow_more_slowly_than_they_part(
    realisation: Realisation, weights: BlockWeights, compatibility: str, seed: int
) -> None:
    points = clusters(weights, weights.n_items + 5, seed)
    corollary = two_cluster_corollary(points, weights, compatibility, realisation=realisation)
    assert 1 < corollary.growth_a < corollary.growth_between
    assert 1 < corollary.growth_b < corollary.growth_between
    assert corollary.ratio_a.left < 1
    assert corollary.ratio_b.left < 1
    assert max(corollary.ratio_a.error, corollary.ratio_b.error) < 1e-9


@given(weights=WEIGHTS)
def test_rates_lie_above_one_with_skips_and_are_less_by_one_without(weights: BlockWeights) -> None:
    kept, bare = rates(weights), rates(weights, skip=False)
    for name in ("within_a", "within_b", "between"):
        assert 1 < getattr(kept, name) < 2
        assert 0 < getattr(bare, name) < 1
        assert getattr(kept, name) - getattr(bare, name) == pytest.approx(1, abs=1e-12)
    assert kept.within_a < kept.between
    assert bare.within_a / bare.between < kept.within_a / kept.between  # "morally correct" (App. A.3)


def test_a_cluster_expands_faster_than_the_centroids_part_where_the_other_cluster_is_favoured() -> None:
    weights = BlockWeights(2, 2, own=0.5, within_a=0.1, within_b=0.1, between=0.2)
    corollary = two_cluster_corollary(np.array([[0.0], [1.0], [4.0], [6.0]]), weights)
    assert not weights.favours_cluster
    assert corollary.growth_a == pytest.approx(1.4)
    assert corollary.growth_between == pytest.approx(1.2)


def test_a_cluster_of_one_item_obeys_the_proposition() -> None:
    weights = BlockWeights(1, 3, own=0.7, within_a=0.5, within_b=0.1, between=0.1)
    statement = two_cluster_proposition(np.random.default_rng(0).normal(size=(4, 2)), weights)
    assert statement.within_a.left.shape == (1, 1, 2)
    assert statement.within_a.error == 0
    assert max(statement.within_b.error, statement.centroids.error) < 1e-13


@pytest.mark.parametrize("realisation", REALISATIONS)
def test_weights_may_change_from_step_to_step(realisation: Realisation) -> None:
    schedule = [solved_block_weights(3, 5, separation=s, selfishness=0.4) for s in (0.2, 0.5, 0.8)]
    points = clusters(schedule[0], 11, seed=1)
    orbit = run_two_clusters(points, schedule, "additive", realisation=realisation)
    parted = [np.linalg.norm(each[:3].mean(axis=0) - each[3:].mean(axis=0)) for each in orbit]
    assert orbit.shape == (4, 8, 11)
    np.testing.assert_allclose(np.divide(parted[1:], parted[:-1]), [1.2, 1.5, 1.8], rtol=1e-9)


def test_without_skips_the_set_contracts_to_its_mean() -> None:
    weights = solved_block_weights(5, 3, separation=0.4, selfishness=0.2)
    points = clusters(weights, 2, seed=2)
    last = run_two_clusters(points, [weights] * 40, skip=False)[-1]
    np.testing.assert_allclose(last, np.tile(points.mean(axis=0), (8, 1)), atol=1e-12)


def test_points_that_do_not_match_the_weights_are_refused() -> None:
    weights = solved_block_weights(5, 3, separation=0.4, selfishness=0.2)
    with pytest.raises(InvalidInputError, match="8 items"):
        two_cluster_proposition(np.zeros((7, 2)), weights)
    with pytest.raises(InvalidInputError, match="extent"):
        two_cluster_corollary(np.zeros((8, 2)), weights)
