"""The report as a file: self-contained, escaped, readable by all, the same twice, small, whole."""

import base64
import hashlib
import json
import os
import re
from itertools import pairwise

import numpy as np
import pytest
from tests.report.clustered_samples import HOSTILE, clustered, images, labels_of_sizes, points
from tests.report.conftest import many_sections
from tests.report.parsed_page import ParsedPage

from abclust.foundations.errors import InvalidInputError
from abclust.report import ReportLimits, failed_section, set_section, write_report

LOADING = {
    "src",
    "srcset",
    "href",
    "xlink:href",
    "action",
    "formaction",
    "poster",
    "data",
    "background",
    "ping",
}
REPORTS = ["image_report", "many_report", "hostile_report"]


@pytest.fixture(params=REPORTS)
def page(request):
    return ParsedPage(request.getfixturevalue(request.param).read_text(encoding="utf-8"))


def parsed(path):
    return ParsedPage(path.read_text(encoding="utf-8"))


def test_nothing_is_loaded_from_anywhere(page):
    addresses = [
        value for element in page.elements for name, value in element.attributes.items() if name in LOADING
    ]
    assert len(addresses) > 20
    assert all(address.startswith(("data:", "#")) for address in addresses)
    style, script = page.one("style").text, page.one("script").text
    assert not re.search(r"url\(|@import|@font-face", style)
    assert not re.search(r"fetch|XMLHttpRequest|WebSocket|sendBeacon|import\s*\(|https?:", script)
    assert not {"iframe", "object", "embed", "form", "base", "audio", "video"} & {
        element.tag for element in page.elements
    }


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_pictures_inside_it(page):
    (policy,) = [
        meta.attributes["content"]
        for meta in page.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert allowed["default-src"] == "'none'"
    assert allowed["img-src"] == "data:"
    for tag, rule in {"style": "style-src", "script": "script-src"}.items():
        digest = base64.b64encode(hashlib.sha256(page.one(tag).text.encode()).digest()).decode()
        assert allowed[rule] == f"'sha256-{digest}'"
    assert not any("style" in element.attributes for element in page.elements)  # the policy would refuse them


def test_no_attribute_runs_a_script(page):
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on")]
    assert len(page.all("script")) == 1


def test_hostile_names_come_out_as_text(hostile_report):
    page = parsed(hostile_report)
    seen = " ".join(HOSTILE.split())
    assert page.one("head").children[5].text == HOSTILE
    assert page.one("h1").whole_text == seen
    assert page.one("code").whole_text == seen
    assert [heading.whole_text for heading in page.all("h2")[2:]] == [f"{seen} {place}" for place in range(3)]
    assert page.one("section", "failures").whole_text.count(seen) == 2
    alternatives = [image.attributes["alt"] for image in page.all("img")]
    assert f"{HOSTILE} 3.png" in alternatives
    assert all(
        f"{HOSTILE} 0.png" in table.whole_text.replace(seen, HOSTILE)
        for table in page.all("table", "uncertain")
    )


def test_the_names_for_the_script_are_the_items_in_the_order_of_the_rows(hostile_report):
    heats = parsed(hostile_report).all("div", "heat")
    assert len(heats) == 3
    names = json.loads(heats[0].attributes["data-names"])
    assert sorted(names) == [f"{HOSTILE} {number}.png" for number in range(10)]


def test_a_reader_of_any_kind_finds_the_way(page):
    assert page.one("html").attributes["lang"] == "en"
    assert all(image.attributes.get("alt") is not None for image in page.all("img"))
    for picture in page.all("svg"):
        assert picture.attributes.get("aria-hidden") == "true" or picture.attributes.get("aria-label")
    levels = [int(element.tag[1]) for element in page.elements if re.fullmatch("h[1-6]", element.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(cell.attributes.get("scope") for cell in page.all("th"))


def test_every_address_inside_the_page_exists_once(page):
    names = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert len(names) == len(set(names))
    addresses = {str(element.attributes.get("href", "")) for element in page.elements}
    assert {address[1:] for address in addresses if address.startswith("#")} <= set(names)


def test_the_head_says_what_was_made_with_what(image_report):
    header = parsed(image_report).one("header").whole_text
    for text in [
        "Letters",
        "39 items in 5 clusters",
        "handmade",
        "abclust cluster letters",
        "torch",
        "numpy",
    ]:
        assert text in header


def test_the_table_lists_all_sets_in_their_order_and_says_which_failed(many_report):
    page = parsed(many_report)
    rows = page.one("table", "index").children[1].children
    assert [row.children[0].whole_text for row in rows] == [f"set {place}" for place in range(7)]
    assert ["failed" in row.classes for row in rows] == [place in (2, 5) for place in range(7)]
    assert "items must not hold NaN. Got 5." in rows[5].whole_text
    assert page.one("section", "failures").children[0].whole_text == "2 sets failed"
    assert "2 sets failed" in page.one("header").whole_text


def test_every_set_that_worked_unfolds_and_only_the_first_is_open(many_report):
    sets = parsed(many_report).all("details", "set")
    assert [each.attributes["id"] for each in sets] == [f"set-{number}" for number in (1, 2, 4, 5, 7)]
    assert ["open" in each.attributes for each in sets] == [True, False, False, False, False]


def test_one_set_needs_no_table_and_is_not_folded(image_report):
    page = parsed(image_report)
    assert not page.all("table", "index")
    assert not page.all("details", "set")


def test_equal_sections_give_equal_bytes(many_report, tmp_path):
    again = tmp_path / "again.html"
    write_report(again, many_sections(), title="Many sets", command="abclust cluster sets")
    assert again.read_bytes() == many_report.read_bytes()


def test_sets_beyond_the_limit_stand_in_the_table_only(tmp_path):
    path = tmp_path / "report.html"
    write_report(path, many_sections(), title="Many", limits=ReportLimits(detail_characters=1))
    page = parsed(path)
    assert [each.attributes["id"] for each in page.all("details", "set")] == ["set-1"]
    assert len(page.one("table", "index").children[1].children) == 7
    assert "1 set in detail below, 4 more in this table only" in path.read_text(encoding="utf-8")


def test_a_failure_on_the_way_leaves_the_old_report(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("the old one", encoding="utf-8")

    def breaking():
        yield failed_section("a", "b")
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        write_report(path, breaking(), title="New")
    assert path.read_text(encoding="utf-8") == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_an_old_report_is_replaced_and_never_overwritten(tmp_path):
    path, open_in_a_reader = tmp_path / "report.html", tmp_path / "same file, second name"
    path.write_text("the old one", encoding="utf-8")
    os.link(path, open_in_a_reader)
    write_report(path, [failed_section("a", "b")], title="New")
    assert "<title>New</title>" in path.read_text(encoding="utf-8")
    assert open_in_a_reader.read_text(encoding="utf-8") == "the old one"


def test_no_section_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="sections must hold at least one set"):
        write_report(tmp_path / "report.html", [], title="Nothing")


def test_a_file_name_that_is_no_text_does_not_cost_the_report(tmp_path):
    path = tmp_path / "report.html"
    section = set_section(
        clustered([0]), points(1), item_names=[b"\xff.png".decode("utf-8", "surrogateescape")]
    )
    write_report(path, [section], title="Odd")
    assert "?.png" in path.read_text(encoding="utf-8")


def test_a_hundred_images_of_noise_take_less_than_500_kilobytes(tmp_path):
    labels = labels_of_sizes(41, 29, 17, 13)
    path = tmp_path / "report.html"
    write_report(path, [set_section(clustered(labels), images(100, (61, 61, 3)))], title="Noise")
    assert path.stat().st_size < 500_000


@pytest.mark.parametrize("shape", [(41, 41), pytest.param((41, 41, 3), marks=pytest.mark.slow)])
def test_two_thousand_images_of_noise_take_less_than_5_megabytes(tmp_path, shape):
    labels = labels_of_sizes(1009, 499, 251, 127, 61, 53)
    path = tmp_path / "report.html"
    section = set_section(clustered(labels, samples=()), images(2000, shape), true_labels=labels)
    write_report(path, [section], title="Much noise")
    assert path.stat().st_size < 5_000_000


def test_two_thousand_vectors_take_less_than_2_megabytes(tmp_path):
    labels = np.sort(np.arange(2003) % 97)
    path = tmp_path / "report.html"
    write_report(path, [set_section(clustered(labels, samples=()), points(2003, 11))], title="Vectors")
    assert path.stat().st_size < 2_000_000
