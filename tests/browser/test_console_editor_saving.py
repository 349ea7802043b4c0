"""Nothing typed is lost: networks are cut, sessions end, tabs are closed, and others write too."""

import pytest
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from clients.serving import load

TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
HTML = (
    '<section class="landing-block"><h2 class="landing-block-node-title">Title</h2>'
    '<div class="landing-block-node-text"><p>One.</p></div></section>'
)
OTHER = 73
DIALOG = ".ed-dialog"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with one block."""
    return make_page(demo, page_number, [{"code": "ly.text", "content": HTML}])


def _html(editing: Editing, page_id: int) -> str:
    (content,) = editing.contents(page_id)
    return content


def test_a_burst_is_saved_as_one_change_and_the_frame_stays(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> tuple[bool, str]:
        await tab.page.evaluate("document.querySelector('iframe').contentWindow.isSame = true")
        await tab.type_at_end(TITLE, " of a page")
        await tab.saved()
        await tab.page.keyboard.type("!")
        await tab.saved()
        is_same = "document.querySelector('iframe').contentWindow.isSame"
        return await tab.page.evaluate(is_same), ",".join(tab.writes)

    (is_same, writes), visit = editing.act(page_id, act)

    assert (is_same, writes) == (True, "landing.block.updatenodes,landing.block.updatenodes")
    assert ">Title of a page!</h2>" in _html(editing, page_id)
    assert (visit.complaints, visit.violations) == ([], [])


def test_text_typed_offline_is_sent_once_the_network_is_back(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        await tab.context.set_offline(True)
        await tab.type_at_end(TITLE, " typed")
        await tab.page.locator(".ed-state.away").wait_for()
        await tab.page.keyboard.type(" offline")
        await tab.context.set_offline(False)
        await tab.saved()

    editing.act(page_id, act)

    assert ">Title typed offline</h2>" in _html(editing, page_id)


def test_a_tab_that_is_killed_during_typing_loses_nothing(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        await tab.type_at_end(TITLE, " kept")
        again = await tab.context.new_page()
        await tab.page.close()
        opened = Opened(again, tab.base)
        await opened.open(page_id)
        await opened.saved()

    editing.act(page_id, act)

    assert ">Title kept</h2>" in _html(editing, page_id)


def test_a_signed_out_user_signs_in_over_the_editor_and_goes_on(
    editing: Editing, page_id: int
) -> None:
    """A user who goes on typing is not interrupted: no key goes into the dialog."""
    typed = " signed out while more and more words were typed"

    async def act(tab: Opened) -> None:
        await tab.type_at_end(TITLE, typed[:7])
        await tab.context.clear_cookies()
        await tab.page.keyboard.type(typed[7:], delay=120)
        await tab.page.locator("dialog.signed-out").wait_for()
        other = await tab.context.new_page()
        await other.goto(editing.link())
        await other.close()
        await tab.saved()
        assert await tab.page.locator("dialog[open]").count() == 0
        await tab.frame.locator(".ProseMirror-focused").wait_for()
        await tab.page.keyboard.type(" and on")
        await tab.saved()

    editing.act(page_id, act)

    assert f">Title{typed} and on</h2>" in _html(editing, page_id)


def test_a_session_of_another_user_does_not_send_the_typed_text(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    rights = {"sites_access": True, "rights": {"*": ["view", "edit"]}}
    load(demo.data, {"users": [{"id": OTHER, "name": "Olga", **rights}]})

    async def act(tab: Opened) -> None:
        other = await tab.context.new_page()
        await other.goto(editing.link(OTHER))
        await tab.type_at_end(TITLE, " mine")
        await tab.page.get_by_text("Somebody else is signed in").wait_for()
        assert ">Title</h2>" in _html(editing, page_id)
        await other.goto(editing.link())
        await other.close()
        await tab.saved()

    editing.act(page_id, act)
    entries = demo.call("landing.landing.history.getList", lid=page_id)["result"]

    assert ">Title mine</h2>" in _html(editing, page_id)
    assert {entry["user"] for entry in entries} == {1}


def test_a_change_of_the_page_by_another_user_is_shown(
    demo: Demo, editing: Editing, page_id: int
) -> None:
    rights = {"sites_access": True, "rights": {"*": ["view", "edit"]}}
    webhook = {"user": OTHER, "code": "olga-0123456789-0123456789", "scopes": ["landing"]}
    load(demo.data, {"users": [{"id": OTHER, "name": "Olga", **rights}], "webhooks": [webhook]})
    hook = f"{demo.base}/rest/{OTHER}/{webhook['code']}/"

    async def act(tab: Opened) -> str:
        editing.change(page_id, {TITLE: "Olga was here"}, hook)
        await tab.frame.get_by_text("Olga was here").wait_for()
        return await tab.page.locator(".ed-person").get_attribute("title") or ""

    shown, _ = editing.act(page_id, act)

    assert shown.startswith("Olga has changed")


@pytest.mark.parametrize(
    ("choice", "kept"), [("Keep mine", "Title of mine"), ("Keep theirs", "Theirs")]
)
def test_of_two_texts_for_one_place_both_are_shown_and_one_is_chosen(
    editing: Editing, page_id: int, choice: str, kept: str
) -> None:
    async def act(tab: Opened) -> str:
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+End")
        editing.change(page_id, {TITLE: "Theirs"})
        await tab.page.keyboard.type(" of mine")
        shown = await tab.page.locator(f"{DIALOG} .ed-versions").inner_text()
        await tab.page.get_by_role("button", name=choice).click()
        await tab.saved()
        assert await tab.node(TITLE).inner_text() == kept
        return shown

    shown, _ = editing.act(page_id, act)

    assert "Theirs" in shown
    assert "Title of mine" in shown
    assert f">{kept}</h2>" in _html(editing, page_id)


def test_changes_of_others_at_other_places_stay_and_are_shown(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+End")
        editing.change(page_id, {TEXT: "<p>Two.</p>"})
        await tab.page.keyboard.type(" and text")
        await tab.saved()
        await tab.page.keyboard.press("Escape")
        await tab.frame.get_by_text("Two.").wait_for()

    editing.act(page_id, act)

    assert ">Title and text</h2>" in _html(editing, page_id)
    assert "<p>Two.</p>" in _html(editing, page_id)


def test_undo_and_redo_use_the_servers_history_also_after_a_reload(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> list[str]:
        await tab.type_at_end(TITLE, " more")
        await tab.saved()
        seen = [await tab.node(TITLE).inner_text()]
        await tab.page.keyboard.press("Control+z")
        await tab.frame.get_by_text("Title", exact=True).wait_for()
        await tab.open(page_id)
        seen.append(await tab.node(TITLE).inner_text())
        await tab.page.get_by_role("button", name="Redo").click()
        await tab.frame.get_by_text("Title more", exact=True).wait_for()
        return seen

    seen, _ = editing.act(page_id, act)

    assert seen == ["Title more", "Title"]
    assert ">Title more</h2>" in _html(editing, page_id)
