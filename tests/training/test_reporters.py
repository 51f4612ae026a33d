import csv
import io
import logging

import pytest
from rich.console import Console
from torch import nn

from abclust.training.config import TrainingConfig
from abclust.training.curve import CurveReporter, curve_table, draw_curve
from abclust.training.progress_bar import ProgressBarReporter, default_reporter
from abclust.training.reporter import LogReporter, Reporter, Reporters, time_left
from abclust.training.run import fresh_state
from abclust.training.tensorboard import TensorBoardReporter

HISTORY = [
    {"step": 10.0, "seconds": 1.0, "loss": 0.7, "pair": 0.7, "learning_rate": 0.1},
    {"step": 20.0, "seconds": 2.0, "loss": 0.5, "pair": 0.5, "learning_rate": 0.1},
    {"step": 20.0, "seconds": 2.5, "nmi_k_unknown": 0.6, "nmi_k_known": 0.7},
]


@pytest.fixture
def state():
    state = fresh_state(nn.Linear(2, 3), TrainingConfig(steps=100))
    state.step, state.seconds, state.n_items, state.history = 20, 2.5, 500, list(HISTORY)
    return state


def tell(reporter, state):
    assert isinstance(reporter, Reporter)
    reporter.started(state)
    reporter.stepped(state, {"loss": 0.51})
    reporter.validated(state, {"nmi_k_unknown": 0.6, "nmi_k_known": 0.7, "ari": 0.123})
    reporter.stepped(state, {"loss": 0.49})
    reporter.finished(state)


def test_the_bar_shows_step_loss_rate_scores_and_time_left(state):
    console = Console(file=io.StringIO(), force_terminal=True, width=200, color_system=None)
    tell(ProgressBarReporter(console), state)
    text = console.file.getvalue()
    shown = (
        "step 20/100",
        "loss 0.4900",
        "200 items/s",
        "nmi_k_unknown 0.6000",
        "nmi_k_known 0.7000",
        "left 0:00:10",
    )
    for part in (*shown, "ari 0.1230"):
        assert part in text, part


def test_log_lines_say_the_same_where_there_is_no_terminal(state, caplog):
    with caplog.at_level(logging.INFO):
        tell(LogReporter(), state)
    assert "training from step 20 to 100" in caplog.text
    assert "step 20/100  loss 0.5100  left 0:00:10" in caplog.text
    assert "validation  nmi_k_unknown 0.6000" in caplog.text
    assert "loss 0.4900" not in caplog.text  # within ten seconds of the line before


def test_without_a_terminal_the_default_is_log_lines():
    assert isinstance(default_reporter(), LogReporter)


def test_several_reporters_hear_the_same(state, tmp_path, caplog):
    with caplog.at_level(logging.INFO):
        tell(Reporters([LogReporter(), CurveReporter(tmp_path)]), state)
    assert "training ended at step 20" in caplog.text
    assert (tmp_path / "curve.png").is_file()


def test_the_curve_is_redrawn_while_the_run_goes_on(state, tmp_path):
    reporter = CurveReporter(tmp_path, seconds=0.0)
    reporter.stepped(state, {})
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_has_a_column_for_every_name():
    rows = list(csv.DictReader(io.StringIO(curve_table(HISTORY))))
    assert rows[1]["loss"] == "0.5"
    assert rows[2]["loss"] == ""
    assert rows[2]["nmi_k_known"] == "0.7"


def test_losses_are_drawn_above_and_scores_below():
    losses, scores = draw_curve(HISTORY).axes
    assert [line.get_label() for line in losses.lines] == ["loss", "pair"]
    assert [line.get_label() for line in scores.lines] == ["nmi k unknown", "nmi k known"]
    assert losses.lines[0].get_ydata().tolist() == [0.7, 0.5]


def test_time_left_is_unknown_before_the_first_step(state):
    state.step = 0
    assert time_left(state) == "?"


def test_tensorboard_gets_an_event_file(state, tmp_path):
    pytest.importorskip("tensorboard", reason="needs: pip install 'abclust[tensorboard]'")
    tell(TensorBoardReporter(tmp_path, every=10), state)
    (events,) = tmp_path.iterdir()
    content = events.read_bytes()
    assert b"loss/loss" in content
    assert b"validation/nmi_k_known" in content
