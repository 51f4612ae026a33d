"""ITML, SKMS, SKKm and SKLR: what pairs and comparisons are good for, as their sources show it."""

import numpy as np
import pytest
from tests.baselines.tiny_background import TINY_LEARNING, blobs, unseen_set

from abclust.baselines.constrained_kernel import (
    ConstrainedKernelConfig,
    constrained_rows,
    fitting_width,
    kernel_rows,
)
from abclust.baselines.itml import ITMLConfig, ITMLSystem, itml_rows
from abclust.baselines.k_means import k_means_labels
from abclust.baselines.log_det_projection import ProjectionConfig
from abclust.baselines.mean_shift import bandwidths_from_pairs, mean_shift_labels
from abclust.baselines.number_choice import NumberChoice
from abclust.baselines.predicted_constraints import (
    ConstraintSample,
    PairConstraints,
    sample_comparisons,
    sample_pairs,
)
from abclust.baselines.skkm import SKKmSystem
from abclust.baselines.sklr import SKLRConfig, SKLRSystem, compared_rows
from abclust.baselines.skms import SKMSSystem
from abclust.evaluation import ari
from abclust.foundations.errors import InvalidInputError


def true_pairs(labels: np.ndarray, per_item: float) -> PairConstraints:
    kernel = (labels[:, None] == labels).astype(np.float64)
    return sample_pairs(kernel, ConstraintSample(float(per_item)), np.random.default_rng(0))


def noisy_directions() -> tuple[np.ndarray, np.ndarray]:
    """Three clusters along the first number; the other two are loud and mean nothing."""
    generator = np.random.default_rng(7)
    labels = np.repeat([0, 1, 2], 17)
    points = np.stack([labels + 0.05 * generator.normal(size=51), *generator.normal(size=(2, 51)) * 3])
    return points.T, labels


RING = np.stack([trigonometric(2 * np.pi * np.arange(31) / 31) for trigonometric in (np.cos, np.sin)], axis=1)


def chained_rings() -> tuple[np.ndarray, np.ndarray]:
    """Three rings through each other, as on a chain."""
    return np.concatenate([RING + np.array([x, 0.0]) for x in (0.0, 1.3, 2.6)]), np.repeat([0, 1, 2], 31)


def nested_rings() -> tuple[np.ndarray, np.ndarray]:
    """Three rings around one centre."""
    return np.concatenate([RING, 2 * RING, 3 * RING]), np.repeat([0, 1, 2], 31)


def test_itml_turns_down_what_pairs_say_is_noise():
    points, labels = noisy_directions()
    rows = itml_rows(points, true_pairs(labels, 5), ITMLConfig(projection=ProjectionConfig(gamma=10.0)))
    assert ari(labels, k_means_labels(points, 3, 0)) < 0.2
    assert ari(labels, k_means_labels(rows, 3, 0)) == 1.0


def test_itml_leaves_a_metric_that_obeys_alone():
    points, _ = blobs(3, 11, 0.01, seed=0)
    pairs = PairConstraints(np.empty((0, 2), np.int64), np.empty((0, 2), np.int64))
    np.testing.assert_allclose(
        itml_rows(points, pairs, ITMLConfig()) @ itml_rows(points, pairs, ITMLConfig()).T, points @ points.T
    )


@pytest.mark.parametrize(
    ("rings", "enough", "most"),
    [(chained_rings(), 0.7, 7), (nested_rings(), 1.0, 3)],
    ids=["chained", "nested"],
)
def test_the_constrained_kernel_sees_rings_that_no_mean_can_tell_apart(rings, enough, most):
    """Source: circles through each other, and around each other, and their number, from a few pairs."""
    points, labels = rings
    pairs = true_pairs(labels, 15)
    rows = constrained_rows(points, pairs, ConstrainedKernelConfig())
    assert ari(labels, k_means_labels(points, 3, 0)) < 0.6
    assert ari(labels, k_means_labels(rows, 3, 0)) >= enough
    plain = mean_shift_labels(points, bandwidths_from_pairs(points, pairs)[0])
    found = mean_shift_labels(rows, bandwidths_from_pairs(rows, pairs)[0])
    assert ari(labels, plain) < 0.6
    assert ari(labels, found) >= enough
    assert 3 <= found.max() + 1 <= most


def test_the_low_rank_kernel_keeps_what_it_says():
    generator = np.random.default_rng(0)
    root = generator.normal(size=(13, 13)) * 0.5 ** np.arange(13)
    kernel = root @ root.T
    rows = kernel_rows(kernel, 0.9)
    values = np.linalg.eigvalsh(kernel)[::-1]
    assert values[: rows.shape[1]].sum() >= 0.9 * values.sum() > values[: rows.shape[1] - 1].sum()
    full = kernel_rows(kernel, 1.0)
    np.testing.assert_allclose(full @ full.T, kernel, atol=1e-9)


def test_the_width_fits_the_pairs():
    # One pair at distance 1 shall be near and one at distance 3 far: between them lies the width.
    squared = np.square(np.subtract.outer([0.0, 1.0, 4.0], [0.0, 1.0, 4.0]))
    pairs = PairConstraints(np.array([[0, 1]]), np.array([[1, 2]]))
    assert 1.0 < fitting_width(squared, pairs, 50) < 4.0
    tighter = PairConstraints(np.array([[0, 2]]), np.empty((0, 2), dtype=np.int64))
    assert fitting_width(squared, tighter, 50) > fitting_width(squared, pairs, 50)
    assert fitting_width(np.zeros((3, 3)), pairs, 50) == 1.0


def test_the_bandwidth_reaches_half_of_the_must_links():
    rows = np.arange(7.0)[:, None]
    near, far = np.array([[0, 1], [2, 3], [4, 5]]), np.array([[0, 6], [1, 6]])
    no_pairs = np.empty((0, 2), dtype=np.int64)
    assert bandwidths_from_pairs(rows, PairConstraints(near, no_pairs))[0].tolist() == [1.0] * 7
    assert bandwidths_from_pairs(rows, PairConstraints(far, no_pairs))[1] == 6
    assert bandwidths_from_pairs(rows, PairConstraints(no_pairs, no_pairs))[1] == 1
    assert (bandwidths_from_pairs(np.zeros((3, 2)), PairConstraints(near[:1], no_pairs))[0] > 0).all()


def test_mean_shift_finds_a_mode_for_each_blob():
    points, labels = blobs(5, 13, 0.3, seed=3)
    assert ari(labels, mean_shift_labels(points, np.full(65, 1.0))) == 1.0
    assert mean_shift_labels(points, np.full(65, 50.0)).max() == 0


def test_comparisons_move_an_outlying_class_away_from_the_others():
    """The fourth of four equally distant clusters is named the odd one; two clusters are then it and them."""
    points, labels = blobs(4, 13, 0.6, seed=5)
    said = np.where(labels < 3, 0, 1)
    kernel = (said[:, None] == said).astype(np.float64)
    triples = sample_comparisons(kernel, ConstraintSample(5.0), np.random.default_rng(0))
    # With 100 neighbours a set of 52 has one width for all, and the halves of the square are as good.
    config = SKLRConfig()
    assert ari(said, k_means_labels(points, 2, 0)) < 0.7
    assert ari(said, k_means_labels(compared_rows(points, triples, config), 2, 0)) == 1.0


@pytest.mark.parametrize("build", [ITMLSystem, SKKmSystem, SKLRSystem])
def test_characters_never_seen_are_clustered_with_predicted_constraints(
    build, background, networks, similarity
):
    system = build(learning=TINY_LEARNING)
    system.learn(background, networks)
    unseen = unseen_set(seed=2)
    assert ari(unseen.labels, system.cluster(unseen.items, n_clusters=5)) > 0.6
    assert system.cluster(unseen.items).max() + 1 == 35  # the maximum of 100, of which there are 35


def test_characters_never_seen_are_clustered_by_mean_shift(background, networks, similarity):
    system = SKMSSystem(learning=TINY_LEARNING)
    system.learn(background, networks)
    unseen = unseen_set(seed=2)
    assert ari(unseen.labels, system.cluster(unseen.items)) > 0.5


def test_the_number_by_the_silhouette_of_the_learned_space(background, networks, similarity):
    system = SKKmSystem(number=NumberChoice("silhouette", maximum=11), learning=TINY_LEARNING)
    system.learn(background, networks)
    assert 3 <= system.cluster(unseen_set(seed=2).items).max() + 1 <= 7


def test_impossible_settings_are_refused():
    with pytest.raises(InvalidInputError):
        ConstrainedKernelConfig(share=0.0)
