"""Corrections: by dragging, by keys, by menu; solved again by the server; taken back."""

import re

import pytest
from tests.web.browser.page_reading import grouping, kernel_of, shown_grouping, together

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
expect = playwright.expect


@pytest.fixture
def digits(visit, answer_of):
    """A set of one's own: corrections stay with an answer."""
    answer = answer_of("digits", fresh=True)
    page = visit(f"#files/{answer['id']}")
    expect(page.locator(".item")).to_have_count(answer["n_items"])
    return page, answer


def two_largest(answer):
    return sorted(grouping(answer["labels"]), key=lambda group: (-len(group), min(group)))[:2]


def tile(page, item):
    return page.locator(f".cluster .item[data-item='{item}']")


def drag(page, item, target):
    """Press on an item, carry it, let go over the target."""
    tile(page, item).scroll_into_view_if_needed()
    page.locator(".cards").evaluate("(cards) => cards.scrollIntoView()")
    start, end = tile(page, item).bounding_box(), target.bounding_box()
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(start["x"] + 40, start["y"] + 40, steps=2)
    page.mouse.move(end["x"] + 60, end["y"] + 20, steps=4)
    expect(page.locator(".ghost")).to_have_count(1)
    expect(target).to_have_class(re.compile("target"))
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)


def test_an_item_is_dragged_to_another_cluster_and_back_by_undo(digits):
    page, answer = digits
    first, second = two_largest(answer)
    item, members = min(first), sorted(second)
    drag(page, item, page.locator(f".cluster[data-label='{answer['labels'][members[0]]}']"))
    expect(page.locator(".corrections li")).to_have_count(1)
    expect(page.locator(".corrections li")).to_contain_text(f"{answer['names'][item]}: moved to cluster")
    groups = shown_grouping(page)
    assert sum(together(groups, item, member) for member in members) > len(members) / 2
    assert not any(together(groups, item, other) for other in first - {item})
    expect(tile(page, item)).to_have_class(re.compile("settled"))
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".corrections li")).to_have_count(0)
    assert shown_grouping(page) == grouping(answer["labels"])
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_two_items_are_told_apart_and_together_by_keys_alone(digits):
    page, answer = digits
    page.locator(".cluster .item[tabindex='0']").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    first, second = page.locator(".item[aria-pressed=true]").evaluate_all(
        "(all) => all.map((each) => Number(each.dataset.item))"
    )
    assert together(grouping(answer["labels"]), first, second)
    expect(page.get_by_role("region", name="Chosen items")).to_contain_text("now in one cluster")
    page.keyboard.press("d")
    expect(page.locator(".corrections li")).to_contain_text("different clusters")
    assert not together(shown_grouping(page), first, second)
    tile(page, first).focus()
    page.keyboard.press("Enter")
    tile(page, second).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    expect(page.locator(".corrections li")).to_contain_text(
        "same cluster"
    )  # it replaces what was said before
    assert together(shown_grouping(page), first, second)
    page.locator(".cluster .item[tabindex='0']").focus()
    page.keyboard.press("z")
    expect(page.locator(".corrections li")).to_contain_text("different clusters")
    assert not together(shown_grouping(page), first, second)


def test_an_item_is_moved_by_the_menu_to_where_it_nearly_was_and_to_a_cluster_of_its_own(digits):
    page, answer = digits
    page.locator(".least-item").first.click()
    bar = page.get_by_role("region", name="Chosen items")
    name = page.locator(".least-item bdi").first.inner_text()
    item = answer["names"].index(name)
    choices = bar.get_by_label("Move to cluster")
    expect(choices.locator("option").first).to_contain_text("(next best)")
    choices.select_option("a cluster of its own")
    bar.get_by_role("button", name="Move").click()
    expect(page.locator(".corrections li")).to_contain_text(f"{name}: moved to a cluster of its own")
    assert frozenset([item]) in shown_grouping(page)
    expect(bar).to_be_hidden()


def test_one_of_several_corrections_is_taken_back_and_a_reload_keeps_the_rest(digits):
    page, answer = digits
    first, second = two_largest(answer)
    pairs = [(min(first), min(second)), (max(first), max(second))]
    for one, other in pairs:
        tile(page, one).click()
        tile(page, other).click()
        page.get_by_role("button", name="Different", exact=True).click()
        expect(page.get_by_role("region", name="Chosen items")).to_be_hidden()
    expect(page.locator(".corrections li")).to_have_count(2)
    page.get_by_role("button", name=re.compile("Take back")).first.click()
    expect(page.locator(".corrections li")).to_have_count(1)
    page.reload()
    expect(page.locator(".corrections li")).to_have_count(1)
    expect(page.locator(".corrections li")).to_contain_text(answer["names"][pairs[1][0]])


def test_what_contradicts_is_refused_and_changes_nothing(visit, digits):
    visit.expects_refusals = True
    page, answer = digits
    a, b, c = sorted(two_largest(answer)[0])[:3]
    for one, other, key in ((a, b, "s"), (b, c, "s"), (a, c, "d")):
        tile(page, one).click()
        tile(page, other).click()
        page.keyboard.press(key)
    expect(page.get_by_role("alert")).to_contain_text("That did not work.")
    expect(page.locator(".corrections li")).to_have_count(2)
    assert together(shown_grouping(page), a, c)


def test_a_long_press_drags_on_a_touch_screen(visit, answer_of):
    answer = answer_of("digits", fresh=True)
    page = visit(f"#files/{answer['id']}", has_touch=True)
    expect(page.locator(".item")).to_have_count(answer["n_items"])
    first, second = two_largest(answer)
    page.locator(".cards").evaluate("(cards) => cards.scrollIntoView()")
    start = tile(page, min(first)).bounding_box()
    target = page.locator(f".cluster[data-label='{answer['labels'][min(second)]}']")
    end = target.bounding_box()
    touch = page.context.new_cdp_session(page)

    def send(kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", (start["x"] + 20, start["y"] + 20))
    expect(page.locator(".ghost")).to_have_count(1)  # after the long press
    send("touchMove", (end["x"] + 60, end["y"] + 20))
    expect(target).to_have_class(re.compile("target"))
    send("touchEnd")
    expect(page.locator(".corrections li")).to_contain_text("moved to cluster")


def test_the_pair_bar_tells_what_the_kernel_says(digits):
    page, answer = digits
    first, second = two_largest(answer)
    one, other = min(first), min(second)
    tile(page, one).click()
    tile(page, other).click()
    probability = kernel_of(answer)[one, other] / 255
    expect(page.get_by_role("region", name="Chosen items")).to_contain_text(f"probability {probability:.2f}")
