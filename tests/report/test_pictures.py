"""The pictures of a section: projection, scatter, kernel, number of clusters, least certain items."""

import base64
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from sklearn.decomposition import PCA
from tests.report.clustered_samples import clustered, images, labels_of_sizes, points

from abclust.clustering.partition import Partition
from abclust.report import ReportLimits, n_clusters_bars, scatter
from abclust.report.described_set import describe_set
from abclust.report.heat_map import N_LEVELS, PALETTE_TEXT, heat_map
from abclust.report.least_certain import least_certain, uncertain_items
from abclust.report.projection import project

LABELS = labels_of_sizes(11, 7, 3, 1)


def described_points(labels=LABELS, n_columns=2):
    items = points(len(labels), n_columns)
    return describe_set(clustered(labels, items), items)


def probabilities_of(heat):
    """The picture back to probabilities, by the palette that the page's script uses."""
    image = Image.open(BytesIO(base64.b64decode(heat.picture.split(",")[1]))).convert("RGB")
    colours = np.array([[int(hex_[at : at + 2], 16) for at in (0, 2, 4)] for hex_ in PALETTE_TEXT.split()])
    distances = np.abs(np.asarray(image, dtype=int)[:, :, None] - colours).sum(axis=-1)
    assert (distances.min(axis=-1) == 0).all()
    return distances.argmin(axis=-1) / (N_LEVELS - 1)


def test_two_columns_are_drawn_as_they_are():
    items = points(5)
    projection = project(items, points(5, 7), np.zeros(5, dtype=int))
    np.testing.assert_array_equal(projection.points, items)


def test_more_columns_are_projected_as_scikit_learn_projects_what_the_network_saw():
    seen = points(23, 7) * np.arange(1, 8)
    padded = np.concatenate([seen, np.zeros((23, 3))], axis=1)
    projection = project(points(23, 5), padded, np.zeros(23, dtype=int))
    expected = PCA(2).fit(seen)
    for axis in (0, 1):
        ours, theirs = projection.points[:, axis], expected.transform(seen)[:, axis]
        assert np.allclose(ours, theirs) or np.allclose(ours, -theirs)
    assert f"{expected.explained_variance_ratio_[0]:.0%}" in projection.x_label


def test_one_column_is_drawn_cluster_by_cluster():
    projection = project(points(5, 1), points(5, 1), np.array([0, 1, 1, 0, 2]))
    np.testing.assert_array_equal(projection.points[:, 1], [0, -1, -1, 0, -2])
    assert not projection.keeps_shape


@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_equal_items_are_drawn_on_one_spot(n_columns):
    items = np.ones((3, n_columns))
    drawn = scatter.scatter(describe_set(clustered([0, 0, 0], items), items), np.array([0]), ReportLimits())
    assert len({(point.x, point.y) for group in drawn.groups for point in group.points}) == 1


def test_a_circle_stays_a_circle_inside_the_frame():
    angles = np.linspace(0, 2 * np.pi, 37, endpoint=False)
    items = 1000 + 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    drawn = scatter.scatter(describe_set(clustered([0] * 37, items), items), np.array([5]), ReportLimits())
    places = np.array([(point.x, point.y) for point in drawn.groups[0].points])
    radii = np.linalg.norm(places - (places.min(axis=0) + places.max(axis=0)) / 2, axis=1)
    assert np.ptp(radii) < 2
    assert (places > 0).all()
    assert (places < [scatter.WIDTH, drawn.height]).all()


def test_up_is_up_and_ticks_stand_where_their_values_are():
    items = np.array([[0.0, 0.0], [10.0, 10.0]])
    drawn = scatter.scatter(describe_set(clustered([0, 0], items), items), np.array([0]), ReportLimits())
    notes = {point.note.split(":")[0]: point for point in drawn.groups[0].points}
    low, high = notes["item 0"], notes["item 1"]
    assert low.x < high.x
    assert low.y > high.y
    for ticks, axis in ((drawn.x_ticks, "x"), (drawn.y_ticks, "y")):
        start, end = getattr(low, axis), getattr(high, axis)
        assert len(ticks) >= 3
        for position, text in ticks:
            assert position == pytest.approx(start + float(text) / 10 * (end - start), abs=0.2)


def test_a_tick_at_zero_is_written_as_zero():
    items = np.array([[-0.3, -0.1], [0.3, 0.2]])
    drawn = scatter.scatter(describe_set(clustered([0, 0], items), items), np.array([0]), ReportLimits())
    for ticks in (drawn.x_ticks, drawn.y_ticks):
        assert "0" in [text for _, text in ticks]
        assert all("e" not in text for _, text in ticks)


def test_clusters_share_the_points_fairly():
    drawn = scatter.scatter(described_points(), np.array([0]), ReportLimits(most_points=13))
    assert [len(group.points) for group in drawn.groups] == [5, 4, 3, 1]
    assert (drawn.n_points, drawn.n_items) == (13, 22)


def test_rings_are_around_the_least_certain_items():
    described = described_points()
    uncertain = least_certain(described.partition.confidence, 3)
    drawn = scatter.scatter(described, uncertain, ReportLimits())
    assert [ring.note for ring in drawn.rings] == [described.note(item) for item in uncertain.tolist()]


def test_the_picture_of_the_kernel_is_the_kernel_in_the_order_of_the_report():
    described = described_points()
    heat = heat_map(described, ReportLimits())
    ordered = described.kernel[np.ix_(described.order.items, described.order.items)]
    assert np.abs(probabilities_of(heat) - ordered).max() <= 0.5 / (N_LEVELS - 1) + 1e-9
    assert heat.names == tuple(described.names[item] for item in described.order.items)


def test_a_large_kernel_is_averaged_down():
    described = described_points(labels_of_sizes(12, 12))
    heat = heat_map(described, ReportLimits(heat_map_size=6))
    ordered = described.kernel[np.ix_(described.order.items, described.order.items)]
    expected = ordered.reshape(6, 4, 6, 4).mean(axis=(1, 3))
    assert np.abs(probabilities_of(heat) - expected).max() <= 0.5 / (N_LEVELS - 1) + 1e-6
    assert heat.names == ()


def test_means_within_and_between_are_those_of_a_double_loop():
    described = described_points()
    pairs = {True: [], False: []}
    for first in range(22):
        for second in range(22):
            if first != second:
                pairs[bool(LABELS[first] == LABELS[second])].append(described.kernel[first, second])
    heat = heat_map(described, ReportLimits())
    assert heat.within == pytest.approx(np.mean(pairs[True]))
    assert heat.between == pytest.approx(np.mean(pairs[False]))
    assert f"{heat.between:.2f}" in heat.description


@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=31),
    st.integers(1, 300),
    st.none() | st.integers(1, 300),
)
def test_bars_hold_all_samples_and_mark_the_choice_and_the_truth(samples, chosen, true_number):
    each = clustered(labels_of_sizes(2)).partition
    partition = Partition(each.labels, chosen, each.confidence, each.merge_tree, np.array(samples))
    bars = n_clusters_bars.n_clusters_bars(partition, true_number)
    assert sum(bar.share for bar in bars.bars) == pytest.approx(1)
    assert len(bars.bars) <= n_clusters_bars.MOST_BARS
    assert [bar.first <= chosen <= bar.last for bar in bars.bars] == [bar.is_chosen for bar in bars.bars]
    assert sum(bar.is_chosen for bar in bars.bars) == 1
    assert bars.interval == partition.n_clusters_interval(0.9)
    assert (bars.true_x is None) == (true_number is None)
    for bar in bars.bars:
        assert n_clusters_bars.LEFT <= bar.x <= bar.x + bar.width <= n_clusters_bars.WIDTH
        assert n_clusters_bars.TOP <= bar.y <= bars.base


def test_the_least_certain_items_come_first_with_their_pulls():
    described = describe_set(clustered(LABELS), images(22), true_labels=LABELS)
    chosen = least_certain(described.partition.confidence, 22)
    assert np.all(np.diff(described.partition.confidence[chosen]) >= 0)
    for item, told in zip(chosen, uncertain_items(described, chosen, str)):
        means = {
            label: np.mean([described.kernel[item, j] for j in range(22) if LABELS[j] == label and j != item])
            for label in range(4)
            if any(LABELS[j] == label and j != item for j in range(22))
        }
        own = means.pop(LABELS[item], None)
        assert told.own.label == LABELS[item]
        assert told.own_pull == (None if own is None else pytest.approx(own))
        assert told.other.label == max(means, key=means.__getitem__)
        assert told.other_pull == pytest.approx(max(means.values()))
        assert told.picture == str(item)
        assert described.order.items[told.position] == item


def test_with_one_cluster_there_is_no_next_best():
    described = describe_set(clustered([0, 0, 0]), images(3))
    (told,) = uncertain_items(described, np.array([1]), None)
    assert told.other is None
    assert told.other_pull is None
