"""The history is one list by time, and offers undo where it can be done now."""

import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from playwright.async_api import expect

TITLE = ".landing-block-node-title"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with three blocks, which was never published."""
    return make_page(
        demo, page_number, [{"code": "ly.text"}, {"code": "ly.quote"}, {"code": "ly.text"}]
    )


async def _offered(tab: Opened) -> list[str]:
    """What the rows offer, without the times."""
    buttons = await tab.page.locator(".ed-history [data-way]").all()
    return [str(await each.get_attribute("aria-label")).partition(",")[0] for each in buttons]


def test_edits_are_undone_and_done_again_from_their_rows(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    editing.change(page_id, {TITLE: "One"})

    async def act(tab: Opened) -> tuple[list[list[str]], list[str]]:
        page = tab.page
        blocks = page.locator(".ed-block")
        await blocks.nth(2).drag_to(blocks.nth(0), target_position={"x": 20, "y": 2})
        await tab.saved()
        await page.get_by_role("button", name="History").click()
        rows = page.locator(".ed-history > li")
        await expect(rows).to_have_count(2)
        await expect(rows.first).to_contain_text("Block moved to the top")
        findings = await examine(page, "history")
        offered = [await _offered(tab)]
        for count in (1, 2):
            await page.locator("[data-way='undo']").press("Enter")
            await expect(page.locator(".ed-history .ed-off")).to_have_count(count)
            offered.append(await _offered(tab))
        await expect(page.locator("[data-way='redo']")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator(".ed-history .ed-off")).to_have_count(1)
        return offered, findings

    (offered, findings), _ = editing.act(page_id, act)

    moved, text = "Block moved to the top", "Text of “Title”"
    assert offered == [
        [f"Undo: {moved}"],
        [f"Redo: {moved}", f"Undo: {text}"],
        [f"Redo: {text}"],
    ]
    assert findings == []
    assert "One</h2>" in editing.contents(page_id)[0]


def test_what_cannot_be_undone_any_more_offers_no_undo(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    demo.call("landing.landing.publication", lid=page_id)
    demo.call("landing.landing.markDelete", lid=page_id)
    demo.call("landing.landing.markUnDelete", lid=page_id)

    async def act(tab: Opened) -> list[str]:
        await tab.page.get_by_role("button", name="History").click()
        await expect(tab.page.locator(".ed-history > li")).to_have_count(3)
        offered = await _offered(tab)
        await tab.page.get_by_role("button", name="Undo: Taken out of the trash").click()
        await expect(tab.page.locator(".ed-notice")).to_contain_text("is in the trash again.")
        await expect(tab.page.locator(".ed-standing")).to_have_text("In the trash")
        return offered

    offered, _ = editing.act(page_id, act)

    assert offered == ["Undo: Taken out of the trash", "Undo: Published"]
