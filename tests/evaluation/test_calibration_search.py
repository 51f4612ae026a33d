"""Fitting a network's calibrations: likelihood first, then what each back end's partitions score."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.special import expit, logit

from abclust import cluster_kernel
from abclust.evaluation import CalibrationSearchConfig, calibrate
from abclust.evaluation.calibration_choice import choose_candidate
from abclust.evaluation.calibration_search import at_threshold, best_backend, by_size
from abclust.evaluation.labelled_inputs import LabelledInput
from abclust.foundations.errors import InvalidInputError
from abclust.kernel.calibration import Calibration

QUICK = CalibrationSearchConfig(thresholds=(-2.0, 0.0, 2.0), temperatures=(2.0,), refinements=1)


def average_linkage(kernel, n_clusters=None):
    """Cut where the mean log-odds between two clusters change sign."""
    log_odds = np.clip(logit(kernel), -20, 20)
    distances = 20 - squareform(log_odds * (1 - np.eye(len(kernel))), checks=False)
    return fcluster(linkage(distances, "average"), 20, "distance")


def noisy_set(n_items, seed, shift=0.0, group="", n_clusters=5, contrast=2.0):
    generator = np.random.default_rng(seed)
    labels = np.arange(n_items) % n_clusters
    noise = generator.normal(size=(n_items, n_items))
    together = labels[:, None] == labels[None, :]
    return expit(np.where(together, contrast, -contrast) + (noise + noise.T) + shift), labels, group


def noisy_sets(shift, n_sets=12, n_items=29, contrast=2.0):
    return [
        noisy_set(n_items, seed, shift, group="abcd"[seed % 4], contrast=contrast) for seed in range(n_sets)
    ]


def test_a_shift_that_hurts_is_found_and_undone():
    _, (record,) = calibrate({"linkage": average_linkage}, noisy_sets(shift=4.0), QUICK)
    assert record.score_raw < 0.5
    assert record.score_chosen > 0.9
    assert record.score_held_out > 0.9
    assert record.chosen.shift < -2


def test_where_nothing_can_be_gained_the_likelihood_calibration_stays():
    _, (record,) = calibrate({"linkage": average_linkage}, noisy_sets(shift=0.0, contrast=7.0), QUICK)
    assert record.chosen == record.likelihood
    assert record.score_chosen == record.score_likelihood


def test_of_kernels_said_to_be_honest_the_search_starts_from_what_they_are():
    honest = replace(QUICK, is_honest=True)
    sets = noisy_sets(shift=0.0, contrast=7.0)
    table, (record,) = calibrate({"linkage": average_linkage}, sets, honest)
    assert record.chosen == record.likelihood == table.at("likelihood", 29) == Calibration()
    assert calibrate({"linkage": average_linkage}, sets, QUICK)[0].at("likelihood", 29) != Calibration()
    _, (shifted,) = calibrate({"linkage": average_linkage}, noisy_sets(shift=4.0), honest)
    assert shifted.likelihood == Calibration()
    assert shifted.chosen.shift < -2


def test_of_calibrations_that_score_alike_the_one_with_the_right_number_of_clusters_is_chosen():
    def with_a_singleton(kernel, n_clusters=None):
        labels = np.arange(29) % 5
        return labels if kernel.mean() > 0.4 else np.where(np.arange(29) == 0, 5, labels)

    sets = noisy_sets(shift=0.0, contrast=0.5)
    free = replace(QUICK, number_weight=0.0)
    _, (record,) = calibrate({"singleton": with_a_singleton}, sets, QUICK)
    assert record.score_chosen == pytest.approx(1.0)
    assert (
        record.score_likelihood
        < calibrate({"singleton": with_a_singleton}, sets, free)[1][0].score_likelihood
    )


def test_each_back_end_and_each_size_has_its_own_entry():
    cut = {"linkage": average_linkage, "first row": lambda kernel, n_clusters: kernel[0] < 0.5}
    sets = noisy_sets(1.0, n_sets=4, n_items=11) + noisy_sets(-1.0, n_sets=4, n_items=23)
    table, records = calibrate(cut, sets, QUICK)
    assert set(table.points) == {"likelihood", "linkage", "first row"}
    assert [point.n_items for point in table.points["linkage"]] == pytest.approx([11, 23])
    assert [(record.backend, round(record.n_items)) for record in records] == [
        *(("linkage", 11), ("first row", 11)),
        *(("linkage", 23), ("first row", 23)),
    ]
    assert table.at("likelihood", 11).shift < table.at("likelihood", 23).shift


def test_a_back_end_blind_to_temperature_keeps_the_likelihoods():
    _, (record,) = calibrate({"linkage": average_linkage}, noisy_sets(shift=3.0), QUICK)
    assert record.chosen.temperature == pytest.approx(record.likelihood.temperature)


def test_batches_give_what_one_by_one_gives():
    batched = CalibrationSearchConfig((-2.0, 0.0, 2.0), (2.0,), refinements=1, batch_size=5)
    sets = noisy_sets(2.0)
    many = lambda kernels, n_clusters: [average_linkage(kernel) for kernel in kernels]  # noqa: E731
    assert calibrate({"linkage": many}, sets, batched) == calibrate({"linkage": average_linkage}, sets, QUICK)


@pytest.mark.parametrize("method", ["log-odds", "spectral"])
def test_the_projects_own_back_ends_gain_from_calibration(method):
    config = CalibrationSearchConfig((-2.0, 0.0, 2.0), temperatures=(), refinements=0, batch_size=5)
    backend = partial(cluster_kernel, method=method)
    _, (record,) = calibrate({method: backend}, noisy_sets(shift=4.0, n_sets=8, contrast=3.0), config)
    assert record.score_raw < 0.8
    assert record.score_held_out > 0.95


def test_the_record_tells_what_was_tried_and_is_json_ready():
    _, (record,) = calibrate({"linkage": average_linkage}, noisy_sets(1.0), QUICK)
    thresholds = {threshold for threshold, temperature, _ in record.candidates if temperature == 1.0}
    assert thresholds >= {-2.0, 0.0, 2.0}
    assert any(temperature == 2.0 for _, temperature, _ in record.candidates)
    assert any(threshold % 2 == 1 for threshold in thresholds)
    content = json.loads(json.dumps(record.as_dict(), allow_nan=False))
    assert content["likelihood"] == {
        "temperature": record.likelihood.temperature,
        "shift": record.likelihood.shift,
    }


def test_sets_of_one_item_are_passed_over_and_nothing_else_is_refused():
    lonely = (np.ones((1, 1)), [0], "a")
    with_lonely, _ = calibrate({}, [lonely, *noisy_sets(1.0)], QUICK)
    assert with_lonely == calibrate({}, noisy_sets(1.0), QUICK)[0]
    with pytest.raises(InvalidInputError, match="at least one set of two items"):
        calibrate({}, [lonely], QUICK)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_even_odds_lie_at_the_threshold_whatever_the_temperature(temperature):
    likelihood = Calibration(1.7, -0.6)
    honest_log_odds = likelihood.apply_to_logits(np.array([-1.0, 0.0, 3.0]))
    found = at_threshold(likelihood, (1.3, temperature)).apply_to_logits(np.array([-1.0, 0.0, 3.0]))
    np.testing.assert_allclose(found, (honest_log_odds - 1.3) / temperature, atol=1e-12)


def test_sizes_are_gathered_into_classes_without_losing_a_set():
    inputs = [LabelledInput(np.eye(n_items), np.arange(n_items)) for n_items in (2, 3, 3, 5, 7, 11, 13)]
    classes = by_size(inputs, n_classes=3)
    assert [[entry.n_items for entry in members] for _, members in classes] == [[2, 3, 3], [5, 7], [11, 13]]
    assert [name for name, _ in classes] == pytest.approx([18 ** (1 / 3), 35**0.5, 143**0.5])
    assert len(by_size(inputs, n_classes=100)) == 6
    with pytest.raises(InvalidInputError, match="size class"):
        by_size(inputs, n_classes=0)


DISTANCES = np.array([0.0, 1.0, 2.0, 3.0])
GROUPS = list("abcdefg")


def scores_of(means, noise=0.0, seed=0):
    generator = np.random.default_rng(seed)
    return np.array(means)[:, None] + noise * generator.normal(size=(len(means), len(GROUPS)))


def test_a_clear_gain_is_taken_and_of_equals_the_nearest():
    assert choose_candidate(scores_of([0.5, 0.8, 0.9, 0.9]), DISTANCES, GROUPS).index == 2


def test_a_gain_within_the_noise_is_left():
    scores = scores_of([0.80, 0.80, 0.801, 0.79], noise=0.05)
    assert choose_candidate(scores, DISTANCES, GROUPS).index == 0


def test_of_two_gains_within_the_noise_of_each_other_the_nearer_is_taken():
    scores = scores_of([0.5, 0.9, 0.9, 0.5])
    scores[2] += [0.02, -0.015, 0.02, -0.015, 0.02, -0.015, 0.0]
    assert scores[2].mean() > scores[1].mean()
    assert choose_candidate(scores, DISTANCES, GROUPS).index == 1


def test_a_way_of_choosing_that_fails_on_the_group_left_out_is_not_trusted():
    # On all four groups the last row is far ahead; chosen on any three, the row is a poor one for the fourth.
    scores = np.array([[0.1, 0.4, 0.4, 0.2], [0.9, 0.1, 0.0, 0.3], [1.0, 0.3, 0.8, 0.2]])
    choice = choose_candidate(scores, DISTANCES[:3], list("abcd"))
    assert choice.held_out == pytest.approx(0.2)
    assert choice.index == 0


def test_a_gain_that_one_group_alone_makes_is_left():
    scores = scores_of([0.7, 0.7, 0.7, 0.69])
    scores[2, 3] = 1.0
    choice = choose_candidate(scores, DISTANCES, GROUPS)
    assert choice.index == 0
    assert choice.held_out <= 0.7 + 1e-12


def test_the_held_out_score_is_that_of_choices_made_without_the_group():
    # Each group alone likes candidate 1 or 2; what is chosen on the others is worse for it.
    scores = np.array([[0.5, 0.5], [0.9, 0.1], [0.1, 0.9]])
    choice = choose_candidate(scores, np.array([0.0, 1.0, 1.0]), ["a", "b"])
    assert choice.held_out == pytest.approx(0.1)
    assert choice.index == 0


def test_sets_of_one_group_stand_for_themselves():
    scores = scores_of([0.5, 0.9, 0.9, 0.5])
    assert choose_candidate(scores, DISTANCES, ["same"] * len(GROUPS)).index == 1


def test_one_set_alone_changes_nothing():
    assert choose_candidate(np.array([[0.1], [0.9]]), np.array([0.0, 1.0]), ["a"]).index == 0


def test_search_starts_at_the_likelihood_calibration_not_at_the_raw_kernel():
    table, records = calibrate({"linkage": average_linkage}, noisy_sets(shift=6.0), QUICK)
    assert records[0].likelihood != Calibration()
    assert table.at("likelihood", 29) == records[0].likelihood


def test_the_best_back_end_is_that_of_the_highest_held_out_score_over_all_sizes():
    _, records = calibrate(
        {"one": lambda kernel, n_clusters=None: np.zeros(len(kernel)), "linkage": average_linkage},
        [*noisy_sets(shift=0.0), *noisy_sets(shift=0.0, n_items=41)],
        QUICK,
    )
    assert best_backend(records, ("one", "linkage")) == "linkage"
    assert best_backend(records, ("one",)) == "one"
    hopeful = [replace(record, score_chosen=2.0) if record.backend == "one" else record for record in records]
    assert best_backend(hopeful, ("one", "linkage")) == "linkage", "what was chosen on does not count"
