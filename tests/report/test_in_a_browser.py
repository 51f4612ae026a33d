"""The report in a real browser: asks the network for nothing, points at pairs, sorts, unfolds, prints."""

import os
import shutil

import pytest
from tests.report.clustered_samples import clustered, labels_of_sizes, points

from abclust.report import set_section, write_report

playwright = pytest.importorskip(
    "playwright.sync_api",
    reason="needs: pip install playwright (and apt-get install chromium)",
)
BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="needs a browser: apt-get install chromium (and pip install playwright)"
)

CONTRASTS = """() => {
  const linear = (share) => share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  const luminance = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)
    .reduce((sum, value, channel) => sum + linear(value / 255) * [0.2126, 0.7152, 0.0722][channel], 0);
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    const isClear = colour === "rgba(0, 0, 0, 0)" && element.parentElement;
    return isClear ? behind(element.parentElement) : colour;
  };
  const texts = "h1, h2, h3, h4, p, dt, dd, td, th, figcaption, a, summary, small";
  return [...document.querySelectorAll(texts)].filter((each) => each.offsetParent !== null).map((each) => {
    const pair = [luminance(getComputedStyle(each).color), luminance(behind(each))];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
}"""
MARKS_OUTSIDE = """() => {
  const frame = document.querySelector(".scatter svg").getBoundingClientRect();
  return [...document.querySelectorAll(".points use, .rings circle")]
    .map((mark) => mark.getBoundingClientRect())
    .filter((box) => box.left < frame.left || box.right > frame.right
                     || box.top < frame.top || box.bottom > frame.bottom).length;
}"""
RINGS_TO_NEAREST_POINT = """() => {
  const middles = (selector) => [...document.querySelectorAll(selector)]
    .map((mark) => mark.getBoundingClientRect())
    .map((box) => [box.x + box.width / 2, box.y + box.height / 2]);
  const points = middles(".points use");
  return middles(".rings circle").map((ring) =>
    Math.min(...points.map((point) => Math.hypot(point[0] - ring[0], point[1] - ring[1]))));
}"""
COUNT_WHEN_PRINTING = """() => addEventListener("beforeprint", () => {
  window.shown = document.querySelectorAll("details.set[open]").length;
})"""


@pytest.fixture(scope="module")
def browser():
    # Chromium refuses its sandbox to the user root, as whom containers run.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=BROWSER, args=arguments)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open a report; afterwards: nothing was asked of the network, no script failed, nobody was alerted."""
    contexts, asked, complaints = [], [], []

    def open_page(path, width=1280, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == len(contexts)
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("report", ["image_report", "many_report", "hostile_report"])
def test_pages_fit_their_width_in_light_and_dark(visit, request, report, width, scheme):
    page = visit(request.getfixturevalue(report), width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").is_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 28)"}[scheme]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_that_accessibility_asks_for(visit, many_report, scheme):
    page = visit(many_report, scheme=scheme)
    ratios = page.evaluate(CONTRASTS)
    assert len(ratios) > 100
    assert min(ratios) >= 4.5


def test_pointing_at_the_kernel_names_the_pair_and_its_probability(visit, image_report):
    page = visit(image_report)
    heat, told = page.locator(".heat"), page.locator("output.pair")
    assert told.inner_text() == "Point at the picture to see a pair."
    heat.scroll_into_view_if_needed()
    box = heat.bounding_box()
    names = page.evaluate("JSON.parse(document.querySelector('.heat').dataset.names)")
    page.mouse.move(box["x"] + box["width"] * 30.5 / 39, box["y"] + box["height"] * 2.5 / 39)
    first, second = (int(names[place].removeprefix("item ")) for place in (2, 30))
    kernel = clustered(labels_of_sizes(29, 5, 3, 1, 1)).kernel
    text, probability = told.inner_text().split(": ")
    assert text == f"item {first} and item {second}"
    assert float(probability) == pytest.approx(kernel[first, second], abs=0.02)
    assert told.locator("img").count() == 2


def test_the_keyboard_moves_from_pair_to_pair(visit, image_report):
    page = visit(image_report)
    names = page.evaluate("JSON.parse(document.querySelector('.heat').dataset.names)")
    page.locator(".heat").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("output.pair").inner_text().startswith(f"{names[1]} and {names[0]}: ")
    page.keyboard.press("ArrowUp")
    assert page.locator("output.pair").inner_text() == names[0]


def test_a_strip_unfolds(visit, image_report):
    page = visit(image_report)
    hidden = page.locator(".more .strip img").first
    assert not hidden.is_visible()
    page.get_by_text("and 9 more").click()
    assert hidden.is_visible()


def test_a_link_of_the_table_opens_its_set(visit, many_report):
    page = visit(many_report)
    assert not page.locator("#set-5").get_attribute("open")
    page.locator(".index a", has_text="set 4").click()
    page.wait_for_function("document.querySelector('#set-5').open")
    assert page.locator("#set-5 h3").first.is_visible()


def test_the_table_sorts_by_a_column_and_back(visit, many_report):
    page = visit(many_report)
    page.locator(".index thead button", has_text="Items").click()
    items = page.locator(".index tbody tr:not(.failed) td:nth-child(2)").all_inner_texts()
    assert items == sorted(items, key=int)
    page.locator(".index thead button", has_text="Items").click()
    assert page.locator(".index tbody tr:not(.failed) td:nth-child(2)").all_inner_texts() == items[::-1]
    assert page.locator("[aria-sort]").get_attribute("aria-sort") == "descending"


def test_every_point_is_drawn_inside_its_picture(visit, tmp_path):
    path = tmp_path / "points.html"
    labels = labels_of_sizes(401, 211, 97)
    write_report(path, [set_section(clustered(labels), points(709, 5))], title="Points")
    page = visit(path)
    outside = page.evaluate(MARKS_OUTSIDE)
    assert outside == 0
    distances = page.evaluate(RINGS_TO_NEAREST_POINT)
    assert len(distances) == 12
    assert max(distances) < 1.5  # a triangle's middle is not its centre of mass


def test_printing_shows_all_sets_and_leaves_the_page_as_it_was(visit, many_report):
    page = visit(many_report)
    page.evaluate(COUNT_WHEN_PRINTING)
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.evaluate("window.shown") == 5
    assert page.locator("details.set[open]").count() == 1


def test_hostile_names_run_nothing(visit, hostile_report):
    page = visit(hostile_report)
    for heat in page.locator(".heat").all():
        page.evaluate("(element) => { element.closest('details').open = true; }", heat.element_handle())
        heat.hover()
    assert page.locator("output.pair").first.inner_text().startswith("<script>")
    assert page.locator("img[onerror]").count() == 0
