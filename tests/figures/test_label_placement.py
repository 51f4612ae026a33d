"""Names of dots: beside their dot, over nothing else."""

import numpy as np
from matplotlib.figure import Figure

from abclust.figures.label_placement import label_dots, words_of


def _drawn(dots, names):
    axes = Figure(figsize=(6, 4), layout="constrained").subplots()
    axes.set_xscale("log")
    axes.scatter(*zip(*dots))
    labels = label_dots(axes, dots, names)
    return axes, labels, [words_of(label) for label in labels]


def test_a_dot_alone_has_its_name_at_its_right_without_a_line():
    axes, (label,), (box,) = _drawn([(1.0, 0.5)], ["a system"])
    x, y = axes.transData.transform((1.0, 0.5))
    assert label.get_text() == "a system"
    assert 0 < box.x0 - x < 20
    assert abs((box.y0 + box.y1) / 2 - y) < 3
    assert label.arrow_patch is None


def test_names_of_crowded_dots_cover_neither_each_other_nor_a_dot():
    rng = np.random.default_rng(0)
    dots = [(10 ** (0.2 * x), 0.05 * y) for x, y in rng.uniform(0, 1, (7, 2))] + [(100.0, 1.0), (1e-3, 0.0)]
    axes, labels, boxes = _drawn(dots, [f"system {place}" for place in range(len(dots))])
    assert len(axes.texts) == len(labels)  # what was tried out is gone
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])
        assert not any(box.contains(*axes.transData.transform(dot)) for dot in dots)
    assert any(label.arrow_patch is not None for label in labels)


def test_names_stay_inside_the_axes():
    axes, _, boxes = _drawn(
        [(1.0, 0.0), (1000.0, 1.0)], ["the first of two systems", "the second of two systems"]
    )
    inside = axes.get_window_extent()
    for box in boxes:
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
