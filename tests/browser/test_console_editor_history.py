"""The history is one list in order of time, and offers undo where it is possible now."""

import httpx
import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from clients.serving import load
from playwright.async_api import Response, expect

TITLE = ".landing-block-node-title"
OLGA, PIA, QUINN = 74, 75, 399
HOSTILE = "Quinn <img src=x onerror=ran(1)>"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with three blocks, which was never published."""
    return make_page(
        demo, page_number, [{"code": "ly.text"}, {"code": "ly.quote"}, {"code": "ly.text"}]
    )


async def _offered(tab: Opened) -> list[str]:
    """The texts and actions of the rows, without the times."""
    buttons = await tab.page.locator(".ed-history [data-way]").all()
    return [str(await each.get_attribute("aria-label")).partition(",")[0] for each in buttons]


def test_edits_are_undone_and_redone_from_their_rows(
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


def test_an_edit_that_cannot_be_undone_any_more_offers_no_undo(
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


def test_an_editor_without_administrator_rights_sees_names_of_colleagues(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    rights = {"sites_access": True, "rights": {"*": ["view", "edit"]}}
    users = [{"id": OLGA, "name": "Olga T", **rights}, {"id": PIA, "name": "Pia T", **rights}]
    webhook = {"user": OLGA, "code": "olga-9876543210-9876543210", "scopes": ["landing"]}
    load(demo.data, {"users": users, "webhooks": [webhook]})
    editing.change(page_id, {TITLE: "One"})

    async def act(tab: Opened) -> list[str]:
        hook = f"{demo.base}/rest/{OLGA}/{webhook['code']}/"
        refused = list[str]()

        def note(answer: Response) -> None:
            if not answer.ok:
                refused.append(answer.url)

        tab.page.on("response", note)
        await tab.open(page_id)
        editing.change(page_id, {TITLE: "Olga was here"}, hook)  # after the page was opened
        person = tab.page.locator(".ed-person")
        await expect(person).to_have_attribute("title", "Olga T has changed: Text")
        await tab.page.get_by_role("button", name="History").click()
        await expect(tab.page.locator(".ed-history > li")).to_have_count(2)
        assert refused == []
        return await tab.page.locator(".ed-signed > span").all_inner_texts()

    assert editing.act(page_id, act, user=PIA)[0] == ["Olga T", "Demo"]


def test_the_history_names_every_author_and_reads_all_users_only_when_needed(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    rights = {"sites_access": True, "rights": {"*": ["delete"]}}
    users = [{"id": number, "name": f"Hand {number}"} for number in range(300, 360)]
    webhook = {"user": QUINN, "code": "quinn-9876543210-9876543210", "scopes": ["landing"]}
    quinn = {"id": QUINN, "name": HOSTILE, **rights}
    load(demo.data, {"users": [*users, quinn], "webhooks": [webhook]})
    for method in ("markDelete", "markUnDelete"):
        hook = f"{demo.base}/rest/{QUINN}/{webhook['code']}/landing.landing.{method}.json"
        assert httpx.post(hook, json={"lid": page_id}).status_code == 200
    demo.call("landing.landing.update", lid=page_id, fields={"TITLE": "Anew"})

    async def act(tab: Opened) -> tuple[list[str], int, int]:
        asked = list[str]()
        tab.page.on("request", lambda it: asked.append(it.url.rpartition("/")[2]))
        await tab.open(page_id)
        await tab.page.wait_for_timeout(300)
        before = asked.count("landyard.user.list")
        await tab.page.get_by_role("button", name="History").click()
        await expect(tab.page.locator(".ed-history > li")).to_have_count(3)
        names = await tab.page.locator(".ed-signed > span:not(.ed-tag)").all_inner_texts()
        return names, before, asked.count("landyard.user.list")

    (names, before, after), visit = editing.act(page_id, act)

    assert names == ["Demo", HOSTILE, HOSTILE]
    assert (before, after) == (0, 2)  # 60 users come before that one, 50 in a part
    assert visit.ran == []


def test_an_edit_is_undone_alone_and_later_ones_stay(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> list[str]:
        page = tab.page
        for at, text in ((0, "First change"), (1, "Later change")):
            await tab.node(TITLE, at).click()
            await page.keyboard.press("Control+a")
            await page.keyboard.type(text)
            await page.keyboard.press("Escape")
            await tab.saved()
            await page.wait_for_timeout(3100)  # two edits of a kind within a second are merged
        await page.get_by_role("button", name="History").click()
        rows = page.locator(".ed-history > li")
        await expect(rows).to_have_count(2)
        alone = page.get_by_role("button", name="Undo this alone")
        await expect(alone).to_have_count(1)
        findings = await examine(page, "history")
        await alone.click()
        await expect(page.locator(".ed-notice")).to_contain_text("what came after it stays")
        await tab.frame.get_by_text("First change").wait_for(state="detached")
        await page.get_by_role("button", name="History").click()
        await expect(rows).to_have_count(3)  # the undo is an edit itself
        await page.get_by_role("dialog").get_by_role("button", name="Close").click()
        await page.locator(".ed-notice").get_by_role("button", name="Redo").click()
        await tab.frame.get_by_text("First change").wait_for()
        await expect(page.locator(".ed-notice")).to_contain_text("there again")
        await page.locator(".ed-notice").get_by_role("button", name="Undo").click()
        await tab.frame.get_by_text("First change").wait_for(state="detached")
        return findings

    findings, _ = editing.act(page_id, act)

    contents = "".join(editing.contents(page_id))
    assert ("First change" in contents, "Later change" in contents) == (False, True)
    assert findings == []
