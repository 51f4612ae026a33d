"""One set as a section: what it counts, what it scores, what it refuses."""

import numpy as np
import pytest
from tests.report.clustered_samples import clustered, images, labels_of_sizes, points
from tests.report.parsed_page import ParsedPage

from abclust.evaluation.scores import score_partition
from abclust.foundations.errors import InvalidInputError
from abclust.report import ReportLimits, failed_section, set_section
from abclust.report.described_set import describe_set

LABELS = labels_of_sizes(7, 5, 1)


def test_the_summary_is_that_of_the_partition():
    each = clustered(LABELS)
    truth = ["a"] * 6 + ["b"] * 7
    section = set_section(each, points(13), name="thirteen", true_labels=truth)
    assert (section.name, section.n_items, section.n_clusters) == ("thirteen", 13, 3)
    assert section.n_clusters_interval == each.partition.n_clusters_interval(0.9)
    assert section.confidence == pytest.approx(each.partition.confidence.mean())
    assert section.scores == score_partition(truth, LABELS)


def test_without_the_truth_there_are_no_scores_on_the_page():
    section = set_section(clustered(LABELS), points(13))
    assert section.scores is None
    assert "ARI" not in section.body
    assert "rue class" not in section.body


def test_scores_stand_on_the_page_as_they_are():
    truth = np.arange(13) % 2
    page = ParsedPage(set_section(clustered(LABELS), points(13), true_labels=truth).body)
    shown = [tile.whole_text for tile in page.all("div", "score")]
    scores = score_partition(truth, LABELS)
    assert shown[0] == f"ARI {scores.ari:.2f}".replace("-0.00", "0.00")
    assert shown[1:4] == [f"NMI {scores.nmi:.2f}", f"AMI {scores.ami:.2f}", f"Accuracy {scores.accuracy:.2f}"]
    assert shown[4] == "k error 1"


@pytest.mark.parametrize("n_items", [1, 2, 3])
@pytest.mark.parametrize("kind", ["images", "points", "values"])
def test_the_smallest_sets_have_a_section(n_items, kind):
    items = images(n_items) if kind == "images" else points(n_items, {"points": 2, "values": 1}[kind])
    for labels in (np.zeros(n_items, dtype=int), np.arange(n_items)):
        section = set_section(clustered(labels, items), items, true_labels=labels)
        assert section.n_items == n_items
        ParsedPage(section.body)


def test_a_set_whose_number_was_not_sampled_says_so():
    section = set_section(clustered(LABELS, samples=()), points(13))
    assert section.n_clusters_interval is None
    assert "was not sampled" in section.body


def test_images_are_shown_and_points_are_drawn():
    shown = ParsedPage(set_section(clustered(LABELS), images(13)).body)
    drawn = ParsedPage(set_section(clustered(LABELS), points(13)).body)
    assert len([image for image in shown.all("img") if "data-p" in image.attributes]) == 13
    assert not shown.all("figure", "scatter")
    assert len([use for group in drawn.all("g", "points") for use in group.children]) == 13


def test_a_failure_without_words_is_named_by_its_kind():
    assert failed_section("a", KeyError()).error == "KeyError"
    assert failed_section("a", "no items").error == "no items"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"items": points(11)}, "items must have 13 entries"),
        ({"item_names": ["a"]}, "item_names must have 13 entries"),
        ({"true_labels": [0, 1]}, "true_labels must have 13 entries"),
        ({"true_labels": np.zeros((13, 2))}, "true_labels must be a flat list"),
    ],
)
def test_counts_that_differ_are_refused(changes, message):
    arguments = {"items": points(13), **changes}
    with pytest.raises(InvalidInputError, match=message):
        set_section(clustered(LABELS), **arguments)


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_a_kernel_that_holds_no_probabilities_is_refused(value):
    each = clustered(LABELS)
    each.kernel[2, 3] = value
    with pytest.raises(InvalidInputError, match="kernel must hold probabilities"):
        set_section(each, points(13))


def test_items_are_called_by_file_row_or_number():
    each = clustered([0, 0, 1])
    assert describe_set(each, points(3)).names == ("item 0", "item 1", "item 2")
    assert describe_set(each, ["a/x.png", "b/y.png", "z.png"]).names == ("x.png", "y.png", "z.png")
    pandas = pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    frame = pandas.DataFrame(points(3), index=["p", "q", "r"], columns=["width", "height"])
    assert describe_set(each, frame).names == ("row p", "row q", "row r")
    body = set_section(each, frame).body
    assert ">width<" in body
    assert ">height<" in body


@pytest.mark.parametrize("name", ["strip_length", "heat_map_size", "detail_characters"])
def test_limits_below_one_are_refused(name):
    with pytest.raises(InvalidInputError, match=f"{name} must be at least 1"):
        ReportLimits(**{name: 0})
