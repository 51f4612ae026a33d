"""Drawing: strokes become items, and the groups follow each of them."""

import re

import pytest
from tests.web.browser.page_reading import shown_grouping, together

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
expect = playwright.expect

CROSS = [[(0.2, 0.2), (0.8, 0.8)], [(0.8, 0.2), (0.2, 0.8)]]
RING = [[(0.5, 0.2), (0.25, 0.35), (0.25, 0.65), (0.5, 0.8), (0.75, 0.65), (0.75, 0.35), (0.5, 0.2)]]


def draw(page, strokes):
    box = page.locator("canvas.pad").bounding_box()
    for stroke in strokes:
        places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke]
        page.mouse.move(*places[0])
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(*place, steps=4)
        page.mouse.up()


def test_drawings_group_as_each_is_added(visit):
    page = visit("#draw")
    add = page.get_by_role("button", name="Add this drawing")
    heading = page.locator("#draw-answer h2")
    expect(add).to_be_disabled()
    for number, strokes in enumerate([CROSS, RING, CROSS, RING, CROSS], start=1):
        draw(page, strokes)
        add.click()
        expect(page.locator(".tray img")).to_have_count(number)
        if number == 1:
            expect(page.locator("#draw-hint")).to_be_visible()
        else:
            expect(heading).to_contain_text(f"{number} images in")
    expect(heading).to_have_text("5 images in 2 clusters")
    assert shown_grouping(page) == {frozenset([0, 2, 4]), frozenset([1, 3])}
    expect(page.locator("#status")).to_have_text("5 drawings in 2 clusters.")
    page.get_by_role("button", name="Remove drawing-2.png").click()
    expect(heading).to_contain_text("4 images in")
    assert together(shown_grouping(page), 0, 1)  # what was item 2 is item 1 now


def test_a_correction_survives_the_next_drawing(visit):
    page = visit("#draw")
    for strokes in [CROSS, RING, CROSS]:
        draw(page, strokes)
        page.keyboard.press("Enter")
    expect(page.locator("#draw-answer h2")).to_contain_text("3 images")
    page.locator(".cluster .item[data-item='0']").click()
    page.locator(".cluster .item[data-item='2']").click()
    page.get_by_role("button", name="Different").click()
    expect(page.locator(".corrections li")).to_have_count(1)
    draw(page, RING)
    page.get_by_role("button", name="Add this drawing").click()
    expect(page.locator("#draw-answer h2")).to_contain_text("4 images")
    groups = shown_grouping(page)
    assert not together(groups, 0, 2)
    assert together(groups, 1, 3)
    expect(page.locator(".corrections li")).to_have_count(1)


def test_strokes_are_taken_back_and_the_pad_cleared(visit):
    page = visit("#draw")
    pad, picture = page.locator("canvas.pad"), "(pad) => pad.toDataURL()"
    draw(page, CROSS[:1])
    one = pad.evaluate(picture)
    draw(page, CROSS[1:])
    assert len(pad.evaluate(picture)) > len(one)
    page.get_by_role("button", name="Undo stroke").click()
    assert pad.evaluate(picture) == one
    page.get_by_role("button", name="Clear").click()
    assert len(pad.evaluate(picture)) < len(one)
    expect(page.get_by_role("button", name="Add this drawing")).to_be_disabled()


def test_one_can_draw_with_the_keyboard(visit):
    page = visit("#draw")
    page.locator("canvas.pad").focus()
    for turn in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(" ")
        for _ in range(7):
            page.keyboard.press(turn)
        page.keyboard.press(" ")
        page.keyboard.press("Enter")
    expect(page.locator(".tray img")).to_have_count(2)
    expect(page.locator("#draw-answer h2")).to_contain_text("2 images")


def test_samples_are_drawn_for_those_who_watch_and_all_can_be_forgotten(visit):
    page = visit("#draw")
    for number in (4, 8):
        page.get_by_role("button", name="Draw a few for me").click()
        expect(page.locator(".tray img")).to_have_count(number)
    expect(page.locator("#draw-answer h2")).to_have_text(re.compile("8 images in [2-6] clusters"))
    page.get_by_role("button", name="Start over").click()
    expect(page.locator(".tray img")).to_have_count(0)
    expect(page.locator("#draw-answer")).to_be_hidden()
