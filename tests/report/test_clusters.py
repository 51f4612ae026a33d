"""The clusters on the page: one order everywhere, strips with caps, items that stand alone or out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.report.clustered_samples import clustered, images, labels_of_sizes, points
from tests.report.parsed_page import ParsedPage

from abclust.clustering.canonical_labels import canonical_labels
from abclust.report import ReportLimits, set_section
from abclust.report.cluster_cards import cluster_cards
from abclust.report.cluster_order import N_COLOURS, N_MARKERS, ClusterSpan, cluster_order
from abclust.report.described_set import describe_set
from abclust.report.limits import fair_shares


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.25, 0.5, 1.0])), min_size=1, max_size=31))
def test_the_order_is_by_size_then_by_falling_confidence(pairs):
    labels = canonical_labels(np.array([label for label, _ in pairs]))
    confidence = np.array([value for _, value in pairs])
    order = cluster_order(labels, confidence)
    np.testing.assert_array_equal(np.sort(order.items), np.arange(len(labels)))
    sizes = [span.size for span in order.clusters]
    assert sizes == sorted(sizes, reverse=True)
    assert [span.rank for span in order.clusters] == list(range(len(sizes)))
    for span in order.clusters:
        inside = order.items[span.start : span.stop]
        assert set(labels[inside]) == {span.label}
        assert np.all(np.diff(confidence[inside]) <= 0)


def test_42_clusters_have_42_different_pairs_of_colour_and_marker():
    spans = [ClusterSpan(rank, rank, 0, 1) for rank in range(N_COLOURS * N_MARKERS)]
    assert len({(span.colour, span.marker) for span in spans}) == 42


@given(st.lists(st.integers(1, 50), min_size=1, max_size=13), st.integers(0, 200))
def test_shares_are_fair(sizes, total):
    shares = fair_shares(sizes, total)
    assert sum(shares) == min(total, sum(sizes))
    assert all(share <= size for share, size in zip(shares, sizes))
    cut = [share for share, size in zip(shares, sizes) if share < size]
    assert not cut or max(cut) - min(cut) <= 1
    assert not cut or max(shares) <= max(cut) + 1


def test_a_strip_shows_twenty_and_unfolds_37_more():
    page = ParsedPage(set_section(clustered(labels_of_sizes(57, 3)), images(60)).body)
    large, small = page.one("ul", "cards").children
    (fold,) = [child for child in large.children if child.tag == "details"]
    strip, folded = large.children[2], fold.children[1]
    assert fold.children[0].whole_text == "and 37 more"
    assert "open" not in fold.attributes
    assert (len(strip.children), len(folded.children)) == (20, 37)
    assert not [child for child in small.children if child.tag == "details"]


def test_the_most_certain_items_come_first_in_a_strip():
    each = clustered(labels_of_sizes(23, 7))
    page = ParsedPage(set_section(each, images(30)).body)
    strip = page.one("ul", "cards").children[0].children[2]
    numbers = [int(image.attributes["alt"].removeprefix("item ")) for image in strip.children]
    assert numbers == np.argsort(-each.partition.confidence[:23], kind="stable")[:20].tolist()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(1, 50), st.integers(1, 20))
def test_every_item_is_shown_or_counted(sizes, most_thumbnails, strip_length):
    described = describe_set(clustered(labels_of_sizes(*sizes)), images(sum(sizes)))
    limits = ReportLimits(most_thumbnails=most_thumbnails, strip_length=strip_length)
    cards = cluster_cards(described, limits, lambda item: f"data:{item}")
    tiles = [tile for card in cards for tile in card.shown + card.folded]
    assert len(tiles) == min(most_thumbnails, sum(sizes))
    assert len(tiles) + sum(card.n_left_out for card in cards) == sum(sizes)
    assert all(len(card.shown) <= strip_length for card in cards)
    for tile in tiles:  # the position on a tile is the row in the kernel's picture
        assert tile.picture == f"data:{described.order.items[tile.position]}"


def test_items_that_stand_alone_share_one_card():
    described = describe_set(clustered(labels_of_sizes(1, 5, 1, 1)), images(8))
    cards = cluster_cards(described, ReportLimits(), str)
    assert [(card.title, card.size) for card in cards] == [("Cluster 1", 5), ("Alone", 3)]
    single = cluster_cards(describe_set(clustered(labels_of_sizes(5, 1)), images(6)), ReportLimits(), str)
    assert [card.title for card in single] == ["Cluster 0", "Cluster 1"]


def test_items_of_another_class_than_most_of_their_cluster_are_marked():
    truth = ["a", "a", "b", "a", "c", "c"]
    section = set_section(clustered(labels_of_sizes(4, 2)), images(6), true_labels=truth)
    page = ParsedPage(section.body)
    assert [image.attributes["alt"] for image in page.all("img", "odd")] == ["item 2"]
    briefs = [card.children[1].whole_text for card in page.one("ul", "cards").children]
    assert briefs[0].endswith("true class a: 3 of 4")
    assert briefs[1].endswith("true class c: all")


def test_many_clusters_unfold():
    section = set_section(
        clustered(np.repeat(np.arange(11), 2)), images(22), limits=ReportLimits(most_clusters=7)
    )
    shown, folded = ParsedPage(section.body).all("ul", "cards")
    assert (len(shown.children), len(folded.children)) == (7, 4)
    assert folded.parent.children[0].whole_text == "and 4 more clusters"


def test_names_of_points_unfold_up_to_a_limit():
    limits = ReportLimits(most_names=5)
    page = ParsedPage(set_section(clustered(labels_of_sizes(11, 3)), points(14), limits=limits).body)
    large, small = page.one("ul", "cards").children
    assert len(large.children[-1].children[1].children) == 5
    assert large.whole_text.endswith("and 6 more")
    assert len(small.children[-1].children[1].children) == 3
