"""The pictures of the page *How it works*."""

import numpy as np
import pytest

from abclust.figures.story_figures import MARKERS, StoryPanel, draw_story
from abclust.figures.style import COLOURS, render

POINTS = np.random.default_rng(0).normal(size=(13, 2))


def test_every_panel_shows_every_point_under_its_title():
    labels = np.arange(13) % 3
    panels = [
        StoryPanel("bare", POINTS),
        StoryPanel("clusters", POINTS, labels=labels),
        StoryPanel("odds", POINTS, probabilities=np.linspace(0, 1, 13), chosen=5),
    ]
    figure = draw_story(panels)
    for axes, panel in zip(figure.axes, panels):
        shown = np.concatenate([np.asarray(part.get_offsets()) for part in axes.collections])
        assert axes.get_title(loc="left") == panel.title
        assert {tuple(point) for point in POINTS} == {tuple(point) for point in shown}


def test_clusters_differ_in_colour_and_in_marker():
    assert len(set(MARKERS)) == len(COLOURS)
    figure = draw_story([StoryPanel("clusters", POINTS, labels=np.arange(13) % 4)])
    parts = figure.axes[0].collections
    assert len({tuple(part.get_facecolor()[0][:3]) for part in parts}) == 4
    assert len({part.get_paths()[0].vertices.tobytes() for part in parts}) == 4


def test_doubtful_points_are_paler():
    confidence = np.linspace(0, 1, 13)
    panel = StoryPanel("sure", POINTS, labels=np.zeros(13, dtype=np.int64), confidence=confidence)
    opacity = draw_story([panel]).axes[0].collections[0].get_facecolor()[:, 3]
    assert np.all(np.diff(opacity) > 0)


@pytest.mark.parametrize("with_scale", [False, True])
def test_there_is_one_scale_if_there_are_probabilities(with_scale):
    odds = np.full(13, 0.5) if with_scale else None
    figure = draw_story([StoryPanel("one", POINTS, probabilities=odds), StoryPanel("two", POINTS)])
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels.count("probability of belonging together") == with_scale
    assert render(figure).startswith(b"\x89PNG")
