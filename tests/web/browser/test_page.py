"""The page as a whole: for phones, keyboards, screen readers, dark rooms and still eyes."""

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
expect = playwright.expect

CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {  // any colour of CSS as red, green, blue, over what is there
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (share) => share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  const luminance = (colour) => channels(colour).slice(0, 3)
    .reduce((sum, value, channel) => sum + linear(value / 255) * [0.2126, 0.7152, 0.0722][channel], 0);
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return channels(colour)[3] < 255 && element.parentElement ? behind(element.parentElement) : colour;
  };
  const texts = "h1, h2, h3, h4, p, dt, dd, li, figcaption, a, summary, small, strong, label, output, "
    + ".ticks span, button:not(:disabled)";
  const isRead = (each) => each.offsetParent !== null && each.textContent.trim();
  return [...document.querySelectorAll(texts)].filter(isRead).map((each) => {
    const pair = [luminance(getComputedStyle(each).color), luminance(behind(each))];
    return [(Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05), each.className || each.tagName];
  });
}"""
NAMELESS = """() => {
  const controls = "button, input, select, a, summary, [tabindex='0'], [role=img], canvas";
  const words = (each) => each?.textContent.trim();
  const name = (each) => each.getAttribute("aria-label") || words(each) || words(each.labels?.[0]);
  return [...document.querySelectorAll(controls)]
    .filter((each) => each.checkVisibility() && !each.closest("[aria-hidden=true]") && !name(each))
    .map((each) => each.outerHTML.slice(0, 80));
}"""
FOCUSED = """() => {
  const { id, dataset, textContent } = document.activeElement;
  return id || dataset.example || textContent.trim();
}"""
CORNER = """(canvas) => {
  const pixel = canvas.getContext("2d").getImageData(0, 40, 1, 1).data;
  return pixel[0] + pixel[1] + pixel[2];
}"""
PLACES = ["start", "digits", "circles answer", "draw", "circles"]


@pytest.fixture
def go(visit, answer_of):
    """Visit one of the places of the page."""

    def to(place, **options):
        addresses = {"start": "", "draw": "#draw", "circles": "#circles"}
        if place in addresses:
            page = visit(addresses[place], **options)
        else:
            page = visit(f"#files/{answer_of(place.removesuffix(' answer'))['id']}", **options)
            expect(page.locator(".item").first).to_be_visible()
        if place == "circles":
            expect(page.locator(".system")).to_have_count(3)
        if place == "draw":
            page.get_by_role("button", name="Draw a few for me").click()
            expect(page.locator("#draw-answer h2")).to_be_visible()
        return page

    return to


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_wider_than_a_phone_and_everything_has_a_name(go, place):
    page = go(place, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(NAMELESS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["start", "digits", "circles"])
def test_text_has_the_contrast_that_accessibility_asks_for(go, place, scheme):
    page = go(place, scheme=scheme)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 28)"}[scheme]
    ratios = page.evaluate(CONTRASTS)
    assert len(ratios) > 15
    assert [each for each in ratios if each[0] < 4.5] == []


def test_the_button_switches_the_colours_and_the_choice_stays(go):
    page = go("digits")
    heat = page.locator(".heat canvas")
    light = heat.evaluate(CORNER)
    button = page.get_by_role("button", name="Dark colours")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 28)"
    assert heat.evaluate(CORNER) < light  # an improbable pair is dark in the dark
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 28)"


def test_the_tabs_are_walked_by_keys_and_the_address_follows(visit):
    page = visit()
    page.get_by_role("tab", name="Files").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Draw")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Draw")).to_be_visible()
    assert page.url.endswith("#draw")
    page.keyboard.press("End")
    expect(page.get_by_role("tabpanel", name="Circles")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tabpanel", name="Draw")).to_be_visible()
    expect(page.get_by_role("tabpanel", name="Circles")).to_be_hidden()


def test_everything_at_the_start_is_reached_by_tab_alone(visit):
    page = visit()
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    for each in [
        "Skip to the content",
        "tab-files",
        "theme",
        "choose-files",
        "choose-folder",
        "Options",
        "digits",
        "circles",
    ]:
        assert each in reached


def test_who_prefers_stillness_sees_no_motion(go):
    step_and_count = """() => {
      document.querySelector("[aria-label='One cluster fewer']").click();
      return document.getAnimations().length;
    }"""
    assert go("digits").evaluate(step_and_count) > 0
    assert go("digits", reduced_motion="reduce").evaluate(step_and_count) == 0


def test_hostile_names_stay_text(visit, server):
    from tests.web.browser.page_reading import digit_files

    name = "<img src=x onerror=alert(1)>.png"
    files = [(name, content) for _, content in digit_files(3)]
    page = visit(f"#files/{server.cluster(*files).json()['id']}")
    expect(page.locator(".item")).to_have_count(3)
    page.locator(".item").first.hover()
    assert page.locator("img[onerror]").count() == 0
    assert "onerror" in page.locator("output.pair").inner_text()
