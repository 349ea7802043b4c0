"""Blocks of a long page are moved with the pointer: each drag is one change and one step of
undo.
"""

from typing import Any

import pytest
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from playwright.async_api import Locator, expect

TITLE = ".landing-block-node-title"
MANY = 10


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with ten blocks, more than the outline has room for."""
    return make_page(demo, page_number, [{"code": "ly.text"} for _ in range(MANY)])


def _order(demo: Demo, page_id: int) -> list[int]:
    found: list[dict[str, Any]] = demo.call(
        "landing.block.getlist", lid=page_id, params={"edit_mode": True}
    )["result"]
    return [block["id"] for block in found]


async def _drag(tab: Opened, block: int, beside: int, *, before: bool) -> None:
    """Drag a block with the pointer to a half of another one, and scroll on the way."""
    mouse = tab.page.mouse

    async def middle(item: Locator) -> tuple[float, float]:
        await item.scroll_into_view_if_needed()
        box = await item.bounding_box()
        assert box is not None
        return box["x"] + 40, box["y"] + box["height"] / 2

    x, y = await middle(tab.page.locator(f".ed-blocks [data-id='{block}']"))
    await mouse.move(x, y)
    await mouse.down()
    await mouse.move(x + 5, y + 5, steps=3)  # the drag starts before anything scrolls
    x, y = await middle(tab.page.locator(f".ed-blocks [data-id='{beside}']"))
    at = y - 8 if before else y + 8
    await mouse.move(x, at + 3, steps=4)
    await mouse.move(x, at, steps=2)
    await mouse.up()
    await tab.saved()


@pytest.mark.parametrize("height", [900, 420])
def test_blocks_of_a_long_page_come_where_they_are_dropped(
    demo: Demo, editing: Editing, page_id: int, height: int
) -> None:
    first, second, third, *middle, last = _order(demo, page_id)

    async def act(tab: Opened) -> list[list[int]]:
        await tab.page.set_viewport_size({"width": 1280, "height": height})
        # A page that is read again while a user works is the same page with other objects.
        await tab.type_at_end(TITLE, " anew")
        await tab.page.keyboard.press("Escape")
        await tab.saved()
        orders = []
        tab.writes.clear()
        await _drag(tab, last, third, before=True)
        orders.append(_order(demo, page_id))
        await _drag(tab, third, middle[-1], before=False)
        orders.append(_order(demo, page_id))
        await _drag(tab, first, middle[2], before=True)
        orders.append(_order(demo, page_id))
        assert tab.writes == ["landing.landing.moveblock"] * 3
        return orders

    orders, _ = editing.act(page_id, act)

    assert orders == [
        [first, second, last, third, *middle],
        [first, second, last, *middle, third],
        [second, last, *middle[:2], first, *middle[2:], third],
    ]


def test_a_block_dropped_at_its_place_or_after_all_others_is_there(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    first, second, *rest = _order(demo, page_id)

    async def act(tab: Opened) -> None:
        await _drag(tab, second, first, before=False)
        assert tab.writes == []
        item = tab.page.locator(f".ed-blocks [data-id='{second}']")
        await item.drag_to(tab.page.locator(".ed-outline > .ed-hint"))
        await tab.saved()

    editing.act(page_id, act)

    assert _order(demo, page_id) == [first, *rest, second]


def test_a_block_dragged_to_the_top_returns_by_one_step(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    before = _order(demo, page_id)
    top = [before[-1], *before[:-1]]

    async def act(tab: Opened) -> list[list[int]]:
        orders = []
        await _drag(tab, before[-1], before[0], before=True)
        orders.append(_order(demo, page_id))
        for way in ("Undo", "Redo", "Undo"):
            await tab.page.get_by_role("button", name=way, exact=True).click()
            await tab.saved()
            orders.append(_order(demo, page_id))
        return orders

    assert editing.act(page_id, act)[0] == [top, before, top, before]


def test_a_finger_drags_a_block_by_its_grip_and_scrolls_anywhere_else(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    before = _order(demo, page_id)
    moved = [before[1], before[2], before[0], *before[3:]]

    async def act(tab: Opened) -> list[int]:
        await tab.page.set_viewport_size({"width": 820, "height": 900})
        browser = await tab.context.new_cdp_session(tab.page)
        await browser.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

        async def drag(part: str) -> None:
            blocks = tab.page.locator(".ed-block")
            start = await blocks.nth(0).locator(part).bounding_box()
            end = await blocks.nth(2).bounding_box()
            assert start is not None
            assert end is not None
            x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
            steps = [y, y + 8, (y + end["y"]) / 2, end["y"] + end["height"] - 6]
            for at, kind in zip(steps, ("Start", "Move", "Move", "Move"), strict=True):
                touch = {"type": f"touch{kind}", "touchPoints": [{"x": x, "y": at}]}
                await browser.send("Input.dispatchTouchEvent", touch)
            await browser.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            await tab.saved()

        await drag(".ed-name")
        assert tab.writes == []
        await drag(".icon")
        await expect(tab.page.locator(".ed-dragged, .ed-before, .ed-after")).to_have_count(0)
        return _order(demo, page_id)

    assert editing.act(page_id, act)[0] == moved


@pytest.mark.parametrize("chosen", [None, -1, 2])
def test_a_new_block_is_placed_above_the_footer_and_is_shown(
    demo: Demo, editing: Editing, page_id: int, chosen: int | None
) -> None:
    footer = {"CODE": "site.footer", "AFTER_ID": _order(demo, page_id)[-1]}
    demo.call("landing.landing.addblock", lid=page_id, fields=footer)
    before = _order(demo, page_id)

    async def act(tab: Opened) -> bool:
        if chosen is not None:
            await tab.page.locator(".ed-block").nth(chosen).click()
        await tab.page.get_by_role("button", name="Add a block").click()
        await tab.page.get_by_role("searchbox").fill("timeline")
        await tab.page.locator(".ed-gallery button").first.click()
        added = tab.frame.locator(".site-timeline").first
        await expect(added).to_be_in_viewport(ratio=0.5)
        await expect(tab.page.locator(".ed-panel h2")).to_have_text("Timeline")
        return await tab.page.locator(".ed-block[aria-current]").count() == 1

    assert editing.act(page_id, act)[0]
    after = _order(demo, page_id)
    [new] = set(after) - set(before)
    assert after.index(new) == (MANY if chosen != 2 else 3)
