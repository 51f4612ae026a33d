"""The answer on the page: cuts, linked pictures, numbers, downloads."""

import csv
import io
import zipfile

import numpy as np
import pytest
from tests.web.browser.page_reading import cards, cut, grouping, kernel_of, shown_grouping

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
expect = playwright.expect

PICTURE = "(canvas) => canvas.toDataURL()"
CANVAS_PIXELS = """(canvas) => {
  const { width, height } = canvas;
  return [...canvas.getContext("2d").getImageData(0, 0, width, height).data];
}"""


@pytest.fixture
def digits(visit, answer_of):
    answer = answer_of("digits")
    page = visit(f"#files/{answer['id']}")
    expect(page.locator(".item")).to_have_count(answer["n_items"])
    return page, answer


def test_the_slider_cuts_the_tree_at_once_and_leads_back(digits):
    page, answer = digits
    found = answer["n_clusters"]
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    slider = page.get_by_role("slider", name="Number of clusters")
    for n_clusters in (2, 7, 19):
        slider.fill(str(n_clusters))
        expect(page.locator(".overview h2")).to_have_text(f"41 images in {n_clusters} clusters")
        assert shown_grouping(page) == cut(answer, n_clusters)
    assert asked == []
    page.get_by_role("button", name=f"Back to {found}").click()
    assert shown_grouping(page) == grouping(answer["labels"])


def test_the_number_can_be_stepped_typed_and_moved_by_keys(digits):
    page, answer = digits
    found, heading = answer["n_clusters"], page.locator(".overview h2")
    page.get_by_role("button", name="One cluster more").click()
    expect(heading).to_contain_text(f"in {found + 1} clusters")
    page.get_by_role("slider", name="Number of clusters").press("ArrowLeft")
    page.get_by_role("slider", name="Number of clusters").press("ArrowLeft")
    expect(heading).to_contain_text(f"in {found - 1} clusters")
    page.get_by_label("Number of clusters, typed").fill("41")
    page.get_by_label("Number of clusters, typed").press("Enter")
    expect(heading).to_contain_text("in 41 clusters")
    expect(page.locator(".cluster")).to_have_count(41)
    expect(page.get_by_role("button", name="One cluster more")).to_be_disabled()


def test_bars_show_how_likely_each_number_is(digits):
    page, answer = digits
    shares = {each["n_clusters"]: each["probability"] for each in answer["n_clusters_distribution"]}
    bars = page.locator(".bar").evaluate_all("""(bars) => bars.map(
      (bar) => [Number(bar.dataset.number), bar.getBoundingClientRect().height, bar.className],
    )""")
    assert [number for number, _, _ in bars] == list(shares)
    heights = np.array([height for _, height, _ in bars])
    expected = np.array(list(shares.values()))
    np.testing.assert_allclose(heights / heights.max(), expected / expected.max(), atol=0.05)
    assert [number for number, _, name in bars if "found" in name] == [answer["n_clusters"]]
    likeliest = max(shares, key=lambda number: shares[number])
    page.locator(f".bar[data-number='{likeliest}']").click()
    expect(page.locator(".overview h2")).to_contain_text(f"in {likeliest} cluster")


def test_pointing_at_an_item_lights_its_row_and_pointing_at_the_kernel_lights_items(digits):
    page, answer = digits
    heat = page.locator(".heat")
    expect(heat.locator(".lit")).to_have_count(0)
    item = int(page.locator(".item").nth(5).get_attribute("data-item"))
    page.locator(f".item[data-item='{item}']").hover()
    expect(heat.locator(".lit")).to_have_count(2)
    expect(page.locator("output.pair")).to_contain_text(answer["names"][item])
    row = int(heat.get_attribute("data-row"))
    box = heat.bounding_box()
    column = (row + 7) % 41  # another item's
    page.mouse.move(
        box["x"] + box["width"] * (column + 0.5) / 41, box["y"] + box["height"] * (row + 0.5) / 41
    )
    expect(page.locator(f".cluster .item.pointed[data-item='{item}']")).to_have_count(1)
    pointed = page.locator(".cluster .item.pointed").evaluate_all(
        "(all) => all.map((each) => Number(each.dataset.item))"
    )
    (other,) = set(pointed) - {item}
    told = page.locator("output.pair").inner_text()
    assert told.startswith(f"{answer['names'][item]} and {answer['names'][other]}: ")
    assert float(told.rpartition(" ")[2]) == pytest.approx(kernel_of(answer)[item, other] / 255, abs=0.006)


def test_the_kernel_is_walked_by_keys_and_a_pair_chosen(digits):
    page, _ = digits
    page.locator(".heat").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("output.pair")).to_contain_text(" and ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Chosen items")).to_contain_text("probability")
    expect(page.locator(".item[aria-pressed=true]")).to_have_count(2)


def test_the_picture_of_the_kernel_is_darker_where_pairs_belong_together(digits):
    page, answer = digits
    pixels = np.array(page.locator(".heat canvas").evaluate(CANVAS_PIXELS)).reshape(41, 41, 4)
    brightness = pixels[:, :, :3].sum(axis=2)
    np.testing.assert_array_equal(brightness, brightness.T)
    # The order of the rows is the page's own; sorted, each probability has one shade, the higher the darker.
    shades, levels = np.sort(brightness.ravel())[::-1], np.sort(kernel_of(answer).ravel())
    assert all(len(np.unique(shades[levels == level])) == 1 for level in np.unique(levels))
    assert shades[0] > 700 > 150 > shades[-1]


def test_confidence_is_shown_and_the_least_certain_come_first(digits):
    page, answer = digits
    worst = int(np.argmin(answer["confidence"]))
    first = page.locator(".least-item").first
    expect(first).to_contain_text(answer["names"][worst])
    expect(first).to_contain_text(f"{answer['confidence'][worst]:.2f}")
    label = page.locator(f".cluster .item[data-item='{worst}']").get_attribute("aria-label")
    name, cluster, confidence = (answer[key][worst] for key in ("names", "labels", "confidence"))
    assert label == f"{name}, cluster {cluster}, confidence {confidence:.2f}"
    for certain_first in (False, True):
        for items in cards(page):
            sureness = [answer["confidence"][item] for item in items]
            assert sureness == sorted(sureness, reverse=certain_first)
        if not certain_first:
            page.get_by_role("button", name="Most certain first").click()


def test_items_are_walked_and_chosen_by_keys(digits):
    page, _ = digits
    tiles = page.locator(".cluster .item")
    focusable = page.locator(".cluster .item[tabindex='0']")
    expect(focusable).to_have_count(1)
    focusable.focus()
    page.keyboard.press("ArrowRight")
    expect(tiles.nth(1)).to_be_focused()
    expect(page.locator(".heat .lit")).to_have_count(2)
    page.keyboard.press("End")
    expect(tiles.last).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(tiles.first).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("region", name="Chosen items")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Chosen items")).to_be_hidden()


def test_what_is_downloaded_is_the_cut_that_is_shown(digits):
    page, answer = digits
    page.get_by_role("slider", name="Number of clusters").fill("6")
    expect(page.locator(".overview h2")).to_contain_text("in 6 clusters")

    def download(name: str) -> bytes:
        with page.expect_download() as started:
            page.locator(".downloads").get_by_role("link", name=name, exact=True).click()
        return started.value.path().read_bytes()

    rows = list(csv.DictReader(io.StringIO(download("CSV").decode())))
    assert [row["item"] for row in rows] == answer["names"]
    assert grouping([int(row["cluster"]) for row in rows]) == cut(answer, 6)
    report = download("Report").decode()
    assert report.startswith("<!doctype html>")
    assert "41 items in 6 clusters" in report
    with zipfile.ZipFile(io.BytesIO(download("Zip"))) as archive:
        files = [name for name in archive.namelist() if name.endswith(".png")]
    assert len(files) == 41
    assert len({name.rpartition("/")[0] for name in files}) == 6


def test_points_lie_in_a_plane_that_zooms_moves_and_lets_choose(visit, answer_of):
    answer = answer_of("circles")
    page = visit(f"#files/{answer['id']}")
    plane = page.locator("canvas.plane")
    expect(plane).to_have_attribute("data-zoom", "1.00")
    whole = plane.evaluate(PICTURE)
    assert len(whole) > 5_000  # not blank
    page.get_by_role("button", name="Zoom in").click()
    expect(plane).to_have_attribute("data-zoom", "1.40")
    assert plane.evaluate(PICTURE) != whole
    plane.focus()
    page.keyboard.press("-")
    expect(plane).to_have_attribute("data-zoom", "1.00")
    box = plane.bounding_box()
    page.keyboard.down("Control")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(plane).to_have_attribute("data-zoom", "2.72")
    before = plane.evaluate(PICTURE)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2 + 30, steps=3)
    page.mouse.up()
    assert plane.evaluate(PICTURE) != before
    page.get_by_role("button", name="Show everything").click()
    x, y = screen_place(answer, 11, box)
    page.mouse.move(x, y)
    expect(page.locator(".heat .lit")).to_have_count(2)
    expect(page.locator("output.pair")).to_contain_text(
        f"{answer['names'][11]}, cluster {answer['labels'][11]}"
    )
    page.mouse.click(x, y)
    expect(page.get_by_role("region", name="Chosen items")).to_contain_text(answer["names"][11])


def screen_place(answer, item, box):
    """Where a point is drawn: everything as large as it fits within a margin of 26 pixels, y upwards."""
    positions = np.array(answer["positions"])
    low, high = positions.min(axis=0), positions.max(axis=0)
    sides = np.array([box["width"], box["height"]])
    scale = ((sides - 52) / (high - low)).min()
    x, y = sides / 2 + (positions[item] - (low + high) / 2) * scale * [1, -1]
    return box["x"] + x, box["y"] + y
