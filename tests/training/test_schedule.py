import math

import pytest

from abclust.training.config import TrainingConfig
from abclust.training.schedule import learning_rate, stage_of, steps_within


def test_warm_up_rises_in_equal_steps_to_the_peak():
    config = TrainingConfig(learning_rate=0.5, warmup_steps=5)
    assert [learning_rate(step, 100, config) for step in range(5)] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])


def test_cosine_passes_one_half_in_the_middle_and_ends_at_zero():
    config = TrainingConfig(learning_rate=2.0, warmup_steps=10)
    assert learning_rate(10, 110, config) == pytest.approx(2.0)
    assert learning_rate(60, 110, config) == pytest.approx(1.0)
    assert learning_rate(110, 110, config) == pytest.approx(0.0)
    assert learning_rate(35, 110, config) == pytest.approx(1 + math.cos(math.pi / 4))


@pytest.mark.parametrize(("schedule", "total"), [("constant", 50), ("cosine", None)])
def test_the_peak_is_held_when_constant_or_while_a_budget_is_measured(schedule, total):
    config = TrainingConfig(learning_rate=0.1, warmup_steps=0, schedule=schedule)
    assert learning_rate(40, total, config) == 0.1


def test_stages_follow_each_other():
    config = TrainingConfig(encoder_steps=2, relation_steps=3)
    assert [stage_of(step, config) for step in range(6)] == ["encoder"] * 2 + ["relation"] * 3 + ["both"]
    assert stage_of(0, TrainingConfig()) == "both"


def test_a_budget_pays_for_validations_too():
    costs = {"step": 100, "spent": 20.0, "seconds_a_step": 0.2, "validate_every": 50}
    assert steps_within(1.0, seconds_a_validation=0.0, **costs) == 100 + 200
    assert steps_within(1.0, seconds_a_validation=10.0, **costs) == 100 + 100


def test_a_budget_that_is_spent_leaves_one_step():
    total = steps_within(
        1.0, step=7, spent=99.0, seconds_a_step=1.0, seconds_a_validation=0.0, validate_every=5
    )
    assert total == 8
