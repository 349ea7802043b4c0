"""Small things: offers during typing, pictures behind a text, and widths of the window."""

import pytest
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from playwright.async_api import expect

TITLE = ".landing-block-node-title"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own whose block has a picture behind its whole content."""
    return make_page(demo, page_number, [{"code": "ly.cover"}])


def test_a_picture_behind_a_text_is_chosen_by_a_click_into_the_background(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        block = tab.frame.locator(".landing-block").first
        await block.click(position={"x": 12, "y": 12})
        picture = tab.frame.locator("[data-ly-kind=styleimg], [data-ly-kind=img]").first
        await expect(picture).to_have_attribute("data-ly-chosen", "node")
        await expect(tab.page.get_by_role("button", name="Library …")).to_be_visible()

    editing.act(page_id, act)


def test_the_button_to_edit_a_text_is_hidden_during_typing(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        begin = tab.page.get_by_role("button", name="Edit the text")
        await tab.node(TITLE).click()
        await expect(tab.page.locator(".ed-done")).to_be_visible()
        await expect(begin).to_have_count(0)
        await tab.page.keyboard.press("Escape")
        await expect(begin).to_be_visible()

    editing.act(page_id, act)


def test_a_window_that_becomes_small_shows_a_telephone_and_no_shrunken_desktop(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        frame = tab.page.locator("iframe.ed-frame")
        for window, width in ((1280, 1280), (390, 390), (1280, 1280)):
            await tab.page.set_viewport_size({"width": window, "height": 800})
            await expect(frame).to_have_css("width", f"{width}px")

    editing.act(page_id, act)
