"""The circles playground: three systems follow what one does to the circles."""

import numpy as np
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
expect = playwright.expect


@pytest.fixture
def playground(visit):
    page = visit("#circles")
    expect(page.locator(".system")).to_have_count(3)
    settle(page)
    return page


def settle(page):
    expect(page.locator(".systems")).to_have_attribute("aria-busy", "false")


def circle(page, number):
    return page.locator("g.circle").nth(number)


def shape(page, number):
    """Centre and radius, read off the picture; y points up."""
    handle = circle(page, number)
    x, y = handle.get_attribute("transform").removeprefix("translate(").rstrip(")").split()
    return float(x), -float(y), float(handle.locator(".rim").get_attribute("r"))


def distances_from_circles(page):
    """How far each point of the editor is from the circle of its colour."""
    points = page.locator(".editor-points circle").evaluate_all("""(all) => all.map((each) => {
      const [x, y, colour] = ["cx", "cy", "class"].map((name) => each.getAttribute(name));
      return [Number(x), -Number(y), Number(colour.slice(1))];
    })""")
    shapes = [shape(page, number) for number in range(page.locator("g.circle").count())]
    return [abs(np.hypot(x - shapes[c][0], y - shapes[c][1]) - shapes[c][2]) for x, y, c in points]


def test_three_systems_answer_side_by_side(playground):
    names = playground.locator(".system figcaption strong").all_inner_texts()
    assert names == ["ABC", "Pairwise kernel", "Spectral clustering"]
    scores = [float(text) for text in playground.locator(".system .score").all_inner_texts()]
    assert scores[0] > 0.9 > max(scores[1:])
    marks = playground.locator(".system-picture").evaluate_all(
        "(all) => all.map((each) => each.children.length)"
    )
    assert marks == [110, 110, 110]
    assert max(distances_from_circles(playground)) < 1e-3


def test_a_circle_moves_grows_and_goes_by_keys(playground):
    page = playground
    before = shape(page, 1)
    circle(page, 1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("+")
    np.testing.assert_allclose(
        shape(page, 1), (before[0] + 0.02, before[1] - 0.1, before[2] + 0.02), atol=1e-9
    )
    expect(circle(page, 1)).to_be_focused()
    assert "Circle 2 of 4" in circle(page, 1).get_attribute("aria-label")
    settle(page)
    assert max(distances_from_circles(page)) < 1e-3
    page.keyboard.press("Delete")
    expect(page.locator("g.circle")).to_have_count(3)
    page.keyboard.press("a")
    expect(page.locator("g.circle")).to_have_count(4)
    settle(page)
    assert max(distances_from_circles(page)) < 1e-3


def test_a_circle_is_dragged_and_resized_with_the_mouse(playground):
    page = playground
    x, y, radius = shape(page, 0)
    box = page.locator(".circle-editor").bounding_box()
    unit = box["width"] / (2 * 0.96)
    middle = (box["x"] + box["width"] / 2 + x * unit, box["y"] + box["height"] / 2 - y * unit)
    page.mouse.move(middle[0] - 20, middle[1] - 20)
    page.mouse.down()
    page.mouse.move(middle[0] + 10, middle[1] + 10, steps=3)
    page.mouse.up()
    moved = shape(page, 0)
    np.testing.assert_allclose(moved, (x + 30 / unit, y - 30 / unit, radius), atol=0.01)
    handle = page.locator(".size").bounding_box()
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    page.mouse.move(handle["x"] + handle["width"] / 2 - 25, handle["y"] + handle["height"] / 2, steps=3)
    page.mouse.up()
    np.testing.assert_allclose(shape(page, 0)[2], radius - 25 / unit, atol=0.01)
    settle(page)
    assert max(distances_from_circles(page)) < 1e-3


def test_a_circle_inside_another_can_be_taken_hold_of(playground):
    page = playground
    found = page.evaluate("""async () => {
      const { circleAt } = await import("/static/scripts/playground/circle_sets.js");
      const circles = [{ x: 0, y: 0, radius: 0.2 }, { x: 0, y: 0, radius: 0.4 }];
      return [[0, 0], [0.3, 0], [0.39, 0], [0.21, 0], [0.5, 0]].map((place) => circleAt(circles, ...place));
    }""")
    assert found == [0, 1, 1, 0, None]


def test_a_circle_is_dragged_with_a_finger(visit):
    page = visit("#circles", width=390, has_touch=True)
    expect(page.locator(".system")).to_have_count(3)
    x, y, radius = shape(page, 0)
    box = page.locator(".circle-editor").bounding_box()
    unit = box["width"] / (2 * 0.96)
    start = (box["x"] + box["width"] / 2 + x * unit - 15, box["y"] + box["height"] / 2 - y * unit)
    touch = page.context.new_cdp_session(page)
    for kind, places in (
        ("touchStart", [start]),
        ("touchMove", [(start[0] - 20, start[1])]),
        ("touchMove", [(start[0] - 30, start[1])]),
        ("touchEnd", []),
    ):
        touch.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": u, "y": v} for u, v in places]}
        )
    np.testing.assert_allclose(shape(page, 0), (x - 30 / unit, y, radius), atol=0.02)


def test_the_server_is_asked_once_for_many_quick_changes_and_the_last_one_shows(playground):
    page = playground
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    x, y, radius = shape(page, 2)
    circle(page, 2).evaluate("""(handle) => {
      const press = () => new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true });
      for (let turn = 0; turn < 9; turn += 1) handle.dispatchEvent(press());
    }""")
    np.testing.assert_allclose(shape(page, 2), (x - 9 * 0.02, y, radius), atol=1e-9)
    settle(page)
    assert len(asked) == 1
    assert max(distances_from_circles(page)) < 1e-3


def test_buttons_add_remove_and_begin_anew_and_noise_moves_points(playground):
    page = playground
    for number in range(5, 9):
        page.get_by_role("button", name="Add a circle").click()
        expect(page.locator("g.circle")).to_have_count(number)
    expect(page.get_by_role("button", name="Add a circle")).to_be_disabled()
    page.get_by_role("button", name="Five in two rows").click()
    expect(page.locator("g.circle")).to_have_count(5)
    settle(page)
    expect(page.locator(".system .found").last).to_have_text("5")  # who is told the number
    page.get_by_role("slider", name="Noise").fill("0.02")
    settle(page)
    assert max(distances_from_circles(page)) > 0.02
    page.get_by_role("slider", name="Points").fill("9")
    expect(page.locator("g.circle.chosen")).to_have_attribute(
        "aria-label", "Circle 5 of 5 at 0.25, -0.14, radius 0.26, 9 points"
    )
