"""The history is one list by time, and offers undo where it can be done now."""

import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from clients.serving import load
from playwright.async_api import expect

TITLE = ".landing-block-node-title"
OLGA, PIA = 74, 75


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


def test_who_is_no_administrator_sees_names_of_colleagues(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    rights = {"sites_access": True, "rights": {"*": ["view", "edit"]}}
    users = [{"id": OLGA, "name": "Olga T", **rights}, {"id": PIA, "name": "Pia T", **rights}]
    webhook = {"user": OLGA, "code": "olga-9876543210-9876543210", "scopes": ["landing"]}
    load(demo.data, {"users": users, "webhooks": [webhook]})
    editing.change(page_id, {TITLE: "One"})

    async def act(tab: Opened) -> list[str]:
        hook = f"{demo.base}/rest/{OLGA}/{webhook['code']}/"
        editing.change(page_id, {TITLE: "Olga was here"}, hook)  # after the page was opened
        person = tab.page.locator(".ed-person")
        await expect(person).to_have_attribute("title", "Olga T has changed: Text")
        await tab.page.get_by_role("button", name="History").click()
        await expect(tab.page.locator(".ed-history > li")).to_have_count(2)
        return await tab.page.locator(".ed-signed > span").all_inner_texts()

    assert editing.act(page_id, act, user=PIA)[0] == ["Olga T", "Demo"]
