"""The reliability figure shows the numbers it is given."""

import numpy as np
import pytest

from abclust.figures.calibration_figures import draw_reliability
from abclust.figures.style import render
from abclust.foundations.errors import InvalidInputError

RAW = (np.array([0.1, 0.5, 0.9]), np.array([0.0, 0.2, 0.7]), np.array([1000, 20, 300]))
CALIBRATED = (np.array([0.05, 0.8]), np.array([0.06, 0.79]), np.array([1100, 220]))


def test_each_curve_and_the_diagonal_are_drawn_under_their_names():
    figure = draw_reliability({"raw": RAW, "calibrated": CALIBRATED}, title="held-out")
    upper, _ = figure.axes
    assert [line.get_label() for line in upper.lines] == ["honest", "raw", "calibrated"]
    np.testing.assert_array_equal(upper.lines[1].get_xydata(), np.stack(RAW[:2], axis=1))
    assert upper.get_title(loc="left") == "held-out"


def test_the_bars_are_as_high_as_the_counts_and_side_by_side():
    figure = draw_reliability({"raw": RAW, "same": RAW})
    bars = figure.axes[1].patches
    assert [bar.get_height() for bar in bars] == [1000, 20, 300] * 2
    assert len({bar.get_x() for bar in bars}) == 6


def test_the_figure_renders():
    assert render(draw_reliability({"raw": RAW})).startswith(b"\x89PNG")


def test_no_curve_and_too_many_are_refused():
    with pytest.raises(InvalidInputError, match="curves must be one to 6"):
        draw_reliability({})
    with pytest.raises(InvalidInputError, match="Got 7"):
        draw_reliability({str(number): RAW for number in range(7)})
