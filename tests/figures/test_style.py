"""One look, no global state, files that are equal when figures are."""

import matplotlib
import pytest
from matplotlib.colors import to_rgb

from abclust.figures.style import COLOURS, PROBABILITY_MAP, house_style, new_figure, render, save_figure
from abclust.foundations.errors import InvalidInputError


def drawn():
    with house_style():
        figure, axes = new_figure(2.3, 1.7)
        axes.plot([0, 1], [1, 0])
    return figure


def test_the_callers_own_settings_come_back():
    before = dict(matplotlib.rcParams)
    drawn()
    assert dict(matplotlib.rcParams) == before


def test_no_figure_is_left_with_pyplot():
    from matplotlib import pyplot

    render(drawn())
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(("kind", "opening"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_equal_figures_give_equal_files(tmp_path, kind, opening):
    paths = [tmp_path / f"{name}.{kind}" for name in ("first", "second")]
    for path in paths:
        save_figure(drawn(), path)
    contents = [path.read_bytes() for path in paths]
    assert contents[0] == contents[1]
    assert contents[0].startswith(opening)
    assert b"CreationDate" not in contents[0]
    assert b"dc:date" not in contents[0]


def test_an_unknown_kind_of_file_is_refused_and_leaves_nothing_behind(tmp_path):
    with pytest.raises(InvalidInputError, match="'pdf', 'png', 'svg'"):
        save_figure(drawn(), tmp_path / "figure.bmp")
    assert list(tmp_path.iterdir()) == []


def test_the_probability_map_darkens_steadily():
    def lightness(value):
        return sum(PROBABILITY_MAP(value)[:3])

    steps = [lightness(step / 20) for step in range(21)]
    assert steps == sorted(steps, reverse=True)


def test_colours_are_apart():
    distances = [
        sum((a - b) ** 2 for a, b in zip(to_rgb(first), to_rgb(second)))
        for position, first in enumerate(COLOURS)
        for second in COLOURS[:position]
    ]
    assert min(distances) > 0.05
