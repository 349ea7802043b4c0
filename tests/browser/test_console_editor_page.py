"""Actions on the whole page in the editor: publishing, renaming, undoing, and the history."""

from typing import Any

import httpx
import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from playwright.async_api import expect

TITLE, CARD = ".landing-block-node-title", ".landing-block-card"
CODES = ("ly.text", "ly.quote", "ly.cards", "ly.text_picture")
PUBLISHED = "Published. Visitors see it now."
WIDTHS = pytest.mark.parametrize("width", [1280, 390])
_IN_SIGHT = """button => {
  const { top, bottom } = button.getBoundingClientRect()
  const at = document.elementFromPoint(button.getBoundingClientRect().left + 4, (top + bottom) / 2)
  return top >= 0 && bottom <= innerHeight && button.contains(at)
}"""


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with four blocks, which is published."""
    page_id = make_page(demo, page_number, [{"code": code} for code in CODES])
    demo.publish(page_id)
    return page_id


def _edit(demo: Demo, page_id: int, at: int, method: str, **more: Any) -> None:
    """Change a block as another client does."""
    listed = demo.call("landing.block.getlist", lid=page_id, params={"edit_mode": True})
    block = listed["result"][at]["id"]
    if "attributes" in more:
        more = {"data": {f"#block{block}": more["attributes"]}}
    answer = demo.call(f"landing.block.{method}", lid=page_id, block=block, **more)
    assert "error" not in answer, answer


def _page(demo: Demo, page_id: int) -> tuple[str, str]:
    wanted = {"filter": {"ID": page_id}, "select": ["TITLE", "CODE"]}
    [page] = demo.call("landing.landing.getList", params=wanted)["result"]
    return page["TITLE"], page["CODE"]


def _seen(demo: Demo, page_id: int) -> str:
    address = demo.call("landing.landing.getpublicurl", lid=page_id)["result"]
    return httpx.get(f"{demo.base}/{address.split('/', 3)[3]}").text


async def _publish(tab: Opened) -> None:
    await tab.page.get_by_role("button", name="Publish …").click()
    await tab.page.get_by_role("button", name="Publish now").click()
    await tab.page.get_by_text(PUBLISHED).wait_for()


async def _rename(tab: Opened, title: str, code: str) -> None:
    await tab.page.get_by_role("button", name="title and address").click()
    await expect(tab.page.get_by_role("button", name="Save", exact=True)).to_be_enabled()
    await tab.page.get_by_label("Title", exact=True).fill(title)
    await tab.page.get_by_label("Address", exact=True).fill(code)
    await tab.page.keyboard.press("Enter")


@WIDTHS
def test_publish_now_is_visible_however_much_has_changed(
    demo: Demo, editing: Editing, page_id: int, width: int
) -> None:
    for at in range(len(CODES)):
        content = f'<section class="landing-block"><p>{"Anew and anew. " * 60}</p></section>'
        _edit(demo, page_id, at, "updatecontent", content=content)

    async def act(tab: Opened) -> tuple[bool, bool]:
        await tab.page.set_viewport_size({"width": width, "height": 800})
        await tab.page.get_by_role("button", name="Publish …").click()
        await tab.page.locator(".ed-differences li").nth(3).wait_for()
        button = tab.page.get_by_role("button", name="Publish now")
        dialog = tab.page.get_by_role("dialog")
        scrolls: bool = await dialog.evaluate("box => box.scrollHeight > box.clientHeight")
        return scrolls, await button.evaluate(_IN_SIGHT)

    assert editing.act(page_id, act, width=width)[0] == (True, True)


@WIDTHS
def test_the_history_names_the_change_its_author_and_its_time(
    demo: Demo, editing: Editing, page_id: int, width: int
) -> None:
    picture = {"src": "/assets/pictures/quay.svg", "alt": "A quay"}
    _edit(demo, page_id, 0, "updatenodes", data={TITLE: "A shorter heading"})
    _edit(demo, page_id, 2, "updateattrs", attributes={"data-tone": "deep"})
    _edit(demo, page_id, 2, "clonecard", selector=f"{CARD}@0")
    _edit(demo, page_id, 3, "updatenodes", data={".landing-block-node-img": picture})

    async def act(tab: Opened) -> tuple[list[str], list[str]]:
        page = tab.page
        await page.get_by_role("button", name="History").click()
        items = page.locator(".ed-history > li")
        await expect(items).to_have_count(4)
        found = await examine(page, "history")
        texts = [" ".join((await each.inner_text()).split()) for each in await items.all()]
        return texts, found

    (said, findings), _ = editing.act(page_id, act, width=width)

    assert findings == []
    assert "“Picture”: another picture in “Text beside a picture” shed.svg → quay.svg" in said[0]
    assert "Alternative text of “Picture”" in said[0]
    assert "“Card” added in “Cards with icons” First What it is" in said[1]
    assert "Tone in “Cards with icons” Plain → Deep" in said[2]
    text = "Text of “Title” in “Text” A heading for what follows → A shorter heading"
    assert text in said[3]
    assert all(" Demo " in each and ":" in each.split(" Demo ")[1] for each in said)


def test_a_renaming_is_undone_and_redone(demo: Demo, editing: Editing, page_id: int) -> None:
    before = _page(demo, page_id)

    async def act(tab: Opened) -> tuple[list[tuple[str, str]], list[str], list[str]]:
        page, notice = tab.page, tab.page.locator(".ed-notice")
        await page.get_by_role("button", name="title and address").click()
        await expect(page.get_by_label("Title", exact=True)).to_have_value(before[0])
        findings = await examine(page, "renaming")
        await page.keyboard.press("Escape")
        await _rename(tab, "Boats", f"boats-{page_id}")
        await expect(notice).to_contain_text("The page is called “Boats” now")
        shown = [await page.locator(".ed-rename strong").inner_text(), await page.title()]
        findings += await examine(page, "renamed")
        states = [_page(demo, page_id)]
        await notice.get_by_role("button", name="Undo").press("Enter")
        await expect(notice).to_contain_text("settings are what they were before.")
        states.append(_page(demo, page_id))
        await page.keyboard.press("Enter")  # the focus is on the next possible action
        await expect(notice).to_contain_text("settings are the new ones again.")
        states.append(_page(demo, page_id))
        return states, shown, findings

    (states, shown, findings), visit = editing.act(page_id, act)

    renamed = ("Boats", f"boats-{page_id}")
    assert states == [renamed, before, renamed]
    assert (shown, findings) == (["Boats", "Boats · Landyard"], [])
    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])


def test_a_name_changed_meanwhile_by_another_user_is_shown_and_not_overwritten(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> tuple[tuple[str, str], tuple[str, str]]:
        page = tab.page
        await page.get_by_role("button", name="title and address").click()
        await expect(page.get_by_role("button", name="Save", exact=True)).to_be_enabled()
        demo.call("landing.landing.update", lid=page_id, fields={"TITLE": "Theirs"})
        await page.get_by_label("Title", exact=True).fill("Mine")
        await page.keyboard.press("Enter")
        await page.get_by_text("Somebody else has renamed the page meanwhile").wait_for()
        title = page.get_by_label("Title", exact=True)
        await expect(title).to_have_value("Theirs")
        found = _page(demo, page_id)
        await title.fill("Ours")
        await page.keyboard.press("Enter")
        await page.get_by_text("The page is called “Ours” now").wait_for()
        await expect(title).to_have_count(0)
        return found, _page(demo, page_id)

    (between, after), _ = editing.act(page_id, act)

    assert (between[0], after[0]) == ("Theirs", "Ours")


def test_publishing_is_undone_by_keys_from_below_the_bar_and_from_the_history(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> tuple[list[bool], list[str]]:
        page, notice = tab.page, tab.page.locator(".ed-notice")
        await tab.type_at_end(TITLE, " anew")
        await page.keyboard.press("Escape")
        await _publish(tab)
        seen = [" anew</h2>" in _seen(demo, page_id)]
        findings = await examine(page, "published")
        await page.keyboard.press("Tab")  # from the pressed button to the next one
        await page.keyboard.press("Enter")
        await expect(notice).to_contain_text("Visitors see what was published before.")
        seen.append(" anew</h2>" in _seen(demo, page_id))
        await notice.get_by_role("button", name="Close").press("Enter")
        await expect(page.get_by_role("button", name="Publish …")).to_be_focused()
        await _publish(tab)
        seen.append(" anew</h2>" in _seen(demo, page_id))
        await page.get_by_role("button", name="History").click()
        # One list in order of time: the edit, the undone publication, and the second publication.
        rows = page.locator(".ed-history > li")
        await expect(rows).to_have_count(3)
        texts = [(await each.inner_text()).split(" the whole")[0] for each in await rows.all()]
        assert texts[:2] == ["Published", "Published"]
        assert "anew" in texts[2]
        await expect(page.get_by_role("button", name="Undo: Published")).to_have_count(1)
        findings += await examine(page, "history of the page")
        await page.get_by_role("button", name="Undo: Published").press("Enter")
        await expect(notice).to_contain_text("Visitors see what was published before.")
        seen.append(" anew</h2>" in _seen(demo, page_id))
        return seen, findings

    (seen, findings), visit = editing.act(page_id, act)

    assert seen == [True, False, True, False]
    assert findings == []
    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])


def test_changes_made_since_are_named_and_nothing_is_undone(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> tuple[str, str, list[str]]:
        page, notice = tab.page, tab.page.locator(".ed-notice")
        await _rename(tab, "Mine", "mine")
        await expect(notice).to_contain_text("The page is called “Mine” now")
        demo.call("landing.landing.update", lid=page_id, fields={"TITLE": "Theirs"})
        await notice.get_by_role("button", name="Undo").click()
        await expect(notice).to_contain_text("Nothing was undone")
        title = await page.locator(".ed-rename strong").inner_text()
        return await notice.inner_text(), title, await examine(page, "not undone")

    (told, title, findings), _ = editing.act(page_id, act)

    assert "changed since: the title of the page (by Demo, " in told
    assert told.rstrip().endswith(": Title, address or settings).")
    assert (_page(demo, page_id)[0], title, findings) == ("Theirs", "Theirs", [])


@WIDTHS
def test_a_link_to_the_draft_is_listed_and_revoked(
    editing: Editing, page_id: int, width: int
) -> None:
    async def act(tab: Opened) -> tuple[list[int], list[str]]:
        page = tab.page
        await page.get_by_role("button", name="Share the draft").click()
        good = page.get_by_role("dialog").get_by_role("listitem")
        await page.get_by_role("button", name="Make a link").click()
        await expect(good).to_contain_text("By Demo, until ")
        address = await page.get_by_label("Link", exact=True).input_value()
        findings = await examine(page, f"sharing, {width}")
        answers = [(await page.request.get(address)).status]
        await good.get_by_role("button", name="Take back").click()
        await expect(good).to_have_count(0)
        await expect(page.get_by_role("heading", name="Links that are good")).to_be_hidden()
        return [*answers, (await page.request.get(address)).status], findings

    (answers, findings), _ = editing.act(page_id, act, width=width)

    assert (answers, findings) == ([200, 410], [])
