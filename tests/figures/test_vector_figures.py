"""Pictures of sets of the plane: every partition has its panel, and what it says is true."""

import numpy as np

from abclust.figures.style import FAINT, render
from abclust.figures.vector_figures import SamplePanel, ShapePanel, draw_samples, draw_shape_comparison

POINTS = np.random.default_rng(1).normal(size=(11, 2))
TRUE = np.arange(11) % 2


def panel(labels: np.ndarray, score: float | None = 0.5) -> ShapePanel:
    return ShapePanel(POINTS, labels, TRUE, score)


def colours_of(axes) -> set[tuple[float, ...]]:
    return {tuple(colour) for colour in axes.collections[0].get_facecolors()}


def test_rows_are_systems_and_columns_are_shapes():
    grid = [[panel(TRUE, None), panel(TRUE, None)], [panel(TRUE), None], [panel(TRUE), panel(TRUE)]]
    figure = draw_shape_comparison(
        ["truth", "first", "second"], ["moons", "rings"], grid, highlighted="first"
    )
    assert len(figure.axes) == 6
    assert [axes.get_ylabel() for axes in figure.axes[::2]] == ["truth", "first", "second"]
    assert [axes.get_title() for axes in figure.axes[:2]] == ["moons", "rings"]
    assert [axes.yaxis.label.get_fontweight() for axes in figure.axes[::2]] == ["normal", "bold", "normal"]


def test_captions_tell_number_and_score():
    figure = draw_shape_comparison(["a"], ["s", "t"], [[panel(TRUE, None), panel(TRUE, 0.25)]])
    assert [axes.get_xlabel() for axes in figure.axes] == ["k = 2", "k = 2   ARI 0.25"]


def test_who_was_not_asked_has_no_points():
    figure = draw_shape_comparison(["a"], ["s"], [[None]])
    assert not figure.axes[0].collections
    assert "k = 1" in figure.axes[0].texts[0].get_text()


def test_a_cluster_has_the_colour_of_the_true_one_that_it_matches():
    figure = draw_shape_comparison(["a", "b"], ["s"], [[panel(TRUE)], [panel(1 - TRUE)]])
    first, second = (axes.collections[0].get_facecolors() for axes in figure.axes)
    np.testing.assert_array_equal(first, second)


def test_items_on_their_own_are_grey_and_no_clusters():
    alone = TRUE.copy()
    alone[4] = 2
    figure = draw_shape_comparison(["a"], ["s"], [[panel(alone)]])
    assert figure.axes[0].get_xlabel().startswith("k = 2")
    red, green, blue = (round(255 * value) for value in figure.axes[0].collections[0].get_facecolors()[4][:3])
    assert f"#{red:02x}{green:02x}{blue:02x}" == FAINT


def test_samples_fill_rows_and_mark_what_is_held_out():
    panels = [SamplePanel(f"kind {number}", POINTS, TRUE, number == 3) for number in range(5)]
    figure = draw_samples(panels, n_columns=3)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == ["kind 0", "kind 1", "kind 2", "kind 3 *", "kind 4"]
    assert all(len(colours_of(axes)) == 2 for axes in shown)
    assert "never seen" in figure.get_supxlabel()


def test_nothing_is_explained_that_is_not_there():
    assert not draw_samples([SamplePanel("kind", POINTS, TRUE)]).get_supxlabel()
    assert render(draw_samples([SamplePanel("kind", POINTS, TRUE)]))[1:4] == b"PNG"
