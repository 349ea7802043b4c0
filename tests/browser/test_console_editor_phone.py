"""On a telephone the panel covers half of the page, and the chosen element stays visible."""

import pytest
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from playwright.async_api import expect

PHONE = 390
ICON = "[data-ly-kind=icon]"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    blocks = ({"code": code} for code in ("ly.cover", "ly.cards", "ly.text", "ly.quote"))
    page = make_page(demo, page_number, [*blocks])
    demo.publish(page)
    return page


def test_a_new_block_is_visible_above_the_panel(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        page = tab.page
        await page.get_by_role("button", name="Add a block").click()
        await page.get_by_role("searchbox").fill("action")
        await page.locator(".ed-gallery button").first.click()
        block = tab.frame.locator("[data-ly-chosen=block]")
        await expect(page.locator(".ed-panel h2")).to_have_text("Call to action")
        for _ in range(40):
            shown, panel = (
                await block.bounding_box(),
                await page.locator(".ed-panel").bounding_box(),
            )
            assert shown
            assert panel
            if shown["y"] + 200 <= panel["y"]:
                return
            await page.wait_for_timeout(50)
        pytest.fail(f"{shown} is behind {panel}")

    editing.act(page_id, act, width=PHONE)


def test_done_hides_the_panel_of_a_text_and_shows_that_of_a_link(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        panel, done = tab.page.locator(".ed-panel"), tab.page.locator(".ed-done")
        await tab.node(".landing-block-node-title").click()
        await done.click()
        await expect(panel).to_be_hidden()
        await expect(tab.page.locator(".ed-block:focus")).to_contain_text("Cover")
        await tab.frame.locator("[data-ly-kind=link]").first.click()
        await done.click()
        await expect(panel.get_by_label("Address")).to_be_visible()

    editing.act(page_id, act, width=PHONE)


def test_the_outline_shows_the_element_chosen_in_the_page(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        await tab.frame.locator(".landing-block-node-quote").first.click()
        await expect(tab.page.locator(".ed-block[aria-current]")).to_be_in_viewport(ratio=0.9)

    editing.act(page_id, act, width=PHONE)


def test_an_element_in_a_card_offers_another_card(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> int:
        icons = tab.frame.locator(ICON)
        before = await icons.count()
        await icons.first.click()
        await tab.page.get_by_role("button", name="Add another").click()
        await expect(icons).to_have_count(before + 1)
        await tab.saved()
        await tab.node(".landing-block-node-title").first.click()
        return before

    before, _ = editing.act(page_id, act, width=PHONE)

    assert editing.contents(page_id)[1].count("landing-block-node-icon") == before + 1


def test_before_publishing_a_hidden_block_and_a_new_picture_are_named(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> str:
        page = tab.page
        await page.locator(".ed-block", has_text="Quotation").click()
        await page.locator(".ed-panel").get_by_role("button", name="Hide").first.click()
        await tab.saved()
        await page.get_by_role("button", name="Choose nothing").click()
        await tab.frame.locator(ICON).first.click()
        await page.get_by_label("Icon", exact=True).select_option(label="anchor")
        await tab.saved()
        await page.get_by_role("button", name="Publish …").click()
        dialog = page.get_by_role("dialog")
        tags = dialog.locator(".ed-tag")
        await expect(tags).to_have_text(["Changed", "Hidden"])
        boxes = [await each.bounding_box() for each in await tags.all()]
        assert all(box and box["width"] > 30 for box in boxes)
        told: str = await dialog.locator("li").first.inner_text()
        return told

    told, _ = editing.act(page_id, act, width=PHONE)

    assert "Its texts stay." in told


def test_a_message_over_a_dialog_is_visible_and_stays_after_it(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        page = tab.page
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await page.get_by_role("button", name="Share").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Make a link").click()
        await dialog.get_by_role("button", name="Copy").click()
        await expect(dialog.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
        await dialog.get_by_role("button", name="Close").click()
        await expect(page.locator("#told")).to_have_text("Copied.")

    editing.act(page_id, act, width=PHONE)
