import logging
import signal

import numpy as np
import pytest
import torch

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError, TrainingError
from abclust.training.checkpoint import checkpoint_paths
from abclust.training.config import TrainingConfig
from abclust.training.pool_drawing import PoolConfig
from abclust.training.pool_source import PoolSource
from abclust.training.set_source import LabelledSetSource
from abclust.training.signals import TrainingInterrupted
from abclust.training.trainer import fit

QUICK = {
    "accelerator": "cpu",
    "warmup_steps": 5,
    "sets_per_step": 3,
    "report_every": 5,
    "checkpoint_every": "10",
}


@pytest.fixture
def source(labelled_pairs):
    return LabelledSetSource(labelled_pairs, sets_per_step=3, seed=1)


class At:
    """Does something at one step of a run."""

    def __init__(self, step, action):
        self.step, self.action = step, action

    def started(self, state):
        pass

    def stepped(self, state, losses):
        if state.step == self.step:
            self.action(state)

    def validated(self, state, scores):
        pass

    def finished(self, state):
        pass


def test_training_lowers_the_loss(encoding_network, source):
    result = fit(encoding_network, source, TrainingConfig(steps=150, learning_rate=0.02, **QUICK))
    losses = [row["loss"] for row in result.history]
    assert result.step == 150
    assert losses[-1] < 0.6 * losses[0]


def test_a_module_without_encoder_learns_too(plain_network, source):
    result = fit(plain_network, source, TrainingConfig(steps=60, learning_rate=0.05, **QUICK))
    assert result.history[-1]["loss"] < result.history[0]["loss"]


def test_the_averaged_weights_are_the_ones_kept(plain_network, source):
    seen = {}
    reporter = At(
        20, lambda state: seen.update(average=state.average.module.bias.item(), raw=state.network.bias.item())
    )
    result = fit(plain_network, source, TrainingConfig(steps=20, ema_decay=0.9, **QUICK), reporter=reporter)
    assert result.network.bias.item() == seen["average"] != seen["raw"]


@pytest.mark.parametrize("precision", ["bf16-mixed", "64-true", "auto"])
def test_other_number_formats_train_too(encoding_network, source, precision):
    config = TrainingConfig(steps=5, precision=precision, **QUICK)
    assert np.isfinite(fit(encoding_network, source, config).history[-1]["loss"])


def test_a_caller_keeps_their_random_stream(plain_network, source):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    fit(plain_network, source, TrainingConfig(steps=2, **QUICK))
    assert torch.equal(torch.rand(3), expected)


def test_validation_sees_the_network_in_evaluation_mode_at_its_steps(encoding_network, source):
    modes = []
    result = fit(
        encoding_network,
        source,
        TrainingConfig(steps=25, validate_every=10, **QUICK),
        validate=lambda network: modes.append(network.training) or {"nmi": float(len(modes))},
    )
    assert modes == [False, False, False]
    assert [row["step"] for row in result.history if "nmi" in row] == [10, 20, 25]
    assert result.scores == {"nmi": 3.0}


def test_early_stopping_keeps_the_best_weights(plain_network, source):
    scores = iter([0.1, 0.5, 0.4, 0.3, 0.2])
    biases = []

    def validate(network):
        biases.append(network.bias.item())
        return {"nmi": next(scores)}

    config = TrainingConfig(steps=1000, validate_every=10, patience=3, monitor="nmi", **QUICK)
    result = fit(plain_network, source, config, validate=validate)
    assert result.step == 50
    assert result.network.bias.item() == biases[1]


def test_early_stopping_names_the_scores_it_could_wait_for(plain_network, source):
    config = TrainingConfig(steps=10, validate_every=5, patience=1, monitor="ari", **QUICK)
    with pytest.raises(InvalidInputError, match=r"validation scores \['nmi'\]"):
        fit(plain_network, source, config, validate=lambda network: {"nmi": 1.0})


def test_minutes_become_steps_that_stay_in_the_checkpoint(plain_network, source, tmp_path):
    config = TrainingConfig(minutes=0.01, **QUICK)
    result = fit(plain_network, source, config, folder=tmp_path)
    assert result.step > 20
    again = fit(plain_network, source, config, folder=tmp_path, resume=True)
    assert again.resumed_from == again.step == result.step


def test_the_last_few_checkpoints_stay_and_a_curve_beside_them(plain_network, source, tmp_path):
    result = fit(
        plain_network, source, TrainingConfig(steps=55, keep_checkpoints=2, **QUICK), folder=tmp_path
    )
    names = [path.name for path in checkpoint_paths(tmp_path)]
    assert names == ["step-00000050.safetensors", "step-00000055.safetensors"]
    assert result.checkpoint.name == names[-1]
    assert (
        (tmp_path / "curve.csv")
        .read_text()
        .startswith("step,seconds,loss,pair,items_per_second,learning_rate\n5")
    )
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.csv", "curve.png", *names]


def test_a_longer_run_goes_on_where_a_shorter_one_ended(plain_network, source, tmp_path):
    fit(plain_network, source, TrainingConfig(steps=20, **QUICK), folder=tmp_path)
    result = fit(plain_network, source, TrainingConfig(steps=30, **QUICK), folder=tmp_path, resume=True)
    assert (result.resumed_from, result.step) == (20, 30)
    assert [row["step"] for row in result.history] == [5, 10, 15, 20, 25, 30]


def test_a_damaged_checkpoint_is_passed_over(plain_network, source, tmp_path, caplog):
    fit(plain_network, source, TrainingConfig(steps=20, **QUICK), folder=tmp_path)
    newest = checkpoint_paths(tmp_path)[-1]
    newest.write_bytes(newest.read_bytes()[:100])
    result = fit(plain_network, source, TrainingConfig(steps=20, **QUICK), folder=tmp_path, resume=True)
    assert result.resumed_from == 10
    assert "damaged checkpoint" in caplog.text


def test_a_changed_configuration_is_told(plain_network, source, tmp_path, caplog):
    fit(plain_network, source, TrainingConfig(steps=10, **QUICK), folder=tmp_path)
    changed = TrainingConfig(steps=20, learning_rate=0.5, **QUICK)
    with caplog.at_level(logging.WARNING):
        fit(plain_network, source, changed, folder=tmp_path, resume=True)
    assert "learning_rate 0.001 -> 0.5" in caplog.text


def test_another_networks_checkpoint_is_refused(plain_network, encoding_network, source, tmp_path):
    fit(plain_network, source, TrainingConfig(steps=10, **QUICK), folder=tmp_path)
    with pytest.raises(InvalidInputError, match="must belong to this network"):
        fit(encoding_network, source, TrainingConfig(steps=20, **QUICK), folder=tmp_path, resume=True)


def test_a_folder_with_checkpoints_is_not_overwritten(plain_network, source, tmp_path):
    fit(plain_network, source, TrainingConfig(steps=10, **QUICK), folder=tmp_path)
    with pytest.raises(InvalidInputError, match="must hold no checkpoints of another run"):
        fit(plain_network, source, TrainingConfig(steps=10, **QUICK), folder=tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error_before_the_first_step(plain_network, source, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InvalidInputError, match="folder must be"):
        fit(plain_network, source, TrainingConfig(steps=10, **QUICK), folder=tmp_path / "file" / "run")


def test_a_loss_that_is_no_number_stops_and_names_the_last_good_checkpoint(plain_network, source, tmp_path):
    def spoil(state):
        with torch.no_grad():
            state.network.bias.fill_(float("nan"))

    with pytest.raises(TrainingError, match=r"at step 23\. The last good checkpoint is .*step-00000020"):
        fit(plain_network, source, TrainingConfig(steps=50, **QUICK), folder=tmp_path, reporter=At(23, spoil))


def test_ctrl_c_finishes_the_step_and_leaves_a_checkpoint(plain_network, source, tmp_path):
    handler = signal.getsignal(signal.SIGINT)
    reporter = At(13, lambda state: signal.raise_signal(signal.SIGINT))
    with pytest.raises(TrainingInterrupted) as caught:
        fit(plain_network, source, TrainingConfig(steps=50, **QUICK), folder=tmp_path, reporter=reporter)
    assert (caught.value.step, caught.value.exit_code) == (13, 130)
    assert caught.value.checkpoint == checkpoint_paths(tmp_path)[-1]
    assert signal.getsignal(signal.SIGINT) is handler


def test_stages_train_the_encoder_then_the_relation_then_both(encoding_network):
    rng = np.random.default_rng(0)
    groups = [LabelledSet(rng.normal(size=(35, 3)).astype(np.float32), np.arange(35) % 7) for _ in range(3)]
    pools = PoolConfig(
        pools_per_step=2, pool_size=23, sets_per_pool=3, smallest_set=5, largest_set=13, rotated=0.0
    )
    seen = {}

    class Watch(At):
        def stepped(self, state, losses):
            weights = {name: tensor.clone() for name, tensor in state.network.state_dict().items()}
            seen[state.step] = (set(losses), weights)

    config = TrainingConfig(steps=9, encoder_steps=3, relation_steps=3, contrastive_weight=0.5, **QUICK)
    fit(encoding_network, PoolSource(groups, pools), config, reporter=Watch(0, None))
    moved = {
        step: {
            name for name in ("encoder.weight", "mixer.weight") if not torch.equal(now[name], before[name])
        }
        for step, now, before in ((step, seen[step][1], seen[step - 1][1]) for step in range(2, 10))
    }
    assert [moved[step] for step in (2, 3)] == [{"encoder.weight"}] * 2
    assert [moved[step] for step in (4, 5, 6)] == [{"mixer.weight"}] * 3
    assert [moved[step] for step in (7, 8, 9)] == [{"encoder.weight", "mixer.weight"}] * 3
    assert [seen[step][0] for step in (1, 4, 7)] == [
        {"loss", "contrastive"},
        {"loss", "pair"},
        {"loss", "contrastive", "pair"},
    ]


def test_only_pools_can_be_cached(encoding_network, source):
    with pytest.raises(InvalidInputError, match="unless the source can cache"):
        fit(encoding_network, source, TrainingConfig(relation_steps=5, **QUICK))


def test_an_unknown_device_is_a_user_error(plain_network, source):
    with pytest.raises(InvalidInputError, match="Lightning Fabric offers"):
        fit(plain_network, source, TrainingConfig(**{**QUICK, "accelerator": "abacus"}))
