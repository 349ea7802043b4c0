"""Nothing typed is lost: networks are cut, sessions end, tabs are closed, others write as well."""

import random
import time
from statistics import median

import pytest
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page
from browser.visiting import Visitor
from clients.serving import load

TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
HTML = (
    '<section class="landing-block"><h2 class="landing-block-node-title">Title</h2>'
    '<div class="landing-block-node-text"><p>One.</p></div></section>'
)
BURSTS = 100
OTHER = 73
SAVED, AFTER_SENDING = 450, 150  # ms
DIALOG = ".ed-dialog"
SAVED_STATE = ".ed-state.saved"


@pytest.fixture(scope="module")
def editing(demo: Demo, visitor: Visitor) -> Editing:
    return Editing(demo, visitor)


@pytest.fixture
def page_id(demo: Demo, request: pytest.FixtureRequest) -> int:
    """A page of its own with one block."""
    number = 100 + sorted(request.session.items, key=lambda it: it.nodeid).index(request.node) % 700
    return make_page(demo, number, [{"code": "ly.text", "content": HTML}])


def _html(editing: Editing, page_id: int) -> str:
    (content,) = editing.contents(page_id)
    return content


def _change(editing: Editing, page_id: int, data: dict[str, str]) -> None:
    """Change nodes as another client does."""
    blocks = editing.demo.call("landing.block.getlist", lid=page_id, params={"edit_mode": True})
    block = blocks["result"][0]["id"]
    done = editing.demo.call("landing.block.updatenodes", lid=page_id, block=block, data=data)
    assert done["result"] is True


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


def test_what_is_typed_offline_is_sent_once_the_network_is_back(
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


def test_a_tab_that_is_killed_while_somebody_types_loses_nothing(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        await tab.type_at_end(TITLE, " kept")
        again = await tab.context.new_page()
        await tab.page.close()
        opened = Opened(again, tab.base)
        await opened.open(page_id)
        await opened.saved()

    editing.act(page_id, act)

    assert ">Title kept</h2>" in _html(editing, page_id)


def test_who_is_signed_out_signs_in_over_the_editor_and_goes_on(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        await tab.context.clear_cookies()
        await tab.type_at_end(TITLE, " signed")
        await tab.page.locator("dialog.signed-out").wait_for()
        other = await tab.context.new_page()
        await other.goto(editing.link())
        await other.close()
        await tab.saved()
        assert await tab.page.locator("dialog[open]").count() == 0

    editing.act(page_id, act)

    assert ">Title signed</h2>" in _html(editing, page_id)


def test_nobody_elses_session_sends_what_somebody_has_typed(
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


@pytest.mark.parametrize(
    ("choice", "kept"), [("Keep mine", "Title of mine"), ("Keep theirs", "Theirs")]
)
def test_of_two_texts_for_one_place_both_are_shown_and_one_is_chosen(
    editing: Editing, page_id: int, choice: str, kept: str
) -> None:
    async def act(tab: Opened) -> str:
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+End")
        _change(editing, page_id, {TITLE: "Theirs"})
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


def test_what_others_change_elsewhere_stays_and_is_seen(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+End")
        _change(editing, page_id, {TEXT: "<p>Two.</p>"})
        await tab.page.keyboard.type(" and text")
        await tab.saved()
        await tab.page.keyboard.press("Escape")
        await tab.frame.get_by_text("Two.").wait_for()

    editing.act(page_id, act)

    assert ">Title and text</h2>" in _html(editing, page_id)
    assert "<p>Two.</p>" in _html(editing, page_id)


def test_undo_and_redo_are_the_servers_also_after_a_reload(editing: Editing, page_id: int) -> None:
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


async def _hurt(tab: Opened, editing: Editing, page_id: int, way: int) -> Opened:
    """Cut the network, end the session, or close the tab; returns the tab to go on in."""
    if way == 0:
        await tab.context.set_offline(True)
        await tab.page.wait_for_timeout(random.randrange(300))
        await tab.context.set_offline(False)
    elif way == 1:
        await tab.context.clear_cookies()
        await tab.page.wait_for_timeout(random.randrange(300))
        other = await tab.context.new_page()
        await other.goto(editing.link())
        await other.close()
    else:
        again = await tab.context.new_page()
        await tab.page.close()
        tab = Opened(again, tab.base)
        await tab.open(page_id)
    return tab


@pytest.mark.parametrize("times", [6, pytest.param(BURSTS, marks=pytest.mark.soak)])
def test_cuts_ended_sessions_and_closed_tabs_lose_no_character(
    editing: Editing, page_id: int, times: int
) -> None:
    random.seed(times)
    words = [f" w{number:03}" for number in range(times)]

    async def act(tab: Opened) -> None:
        for number, word in enumerate(words):
            await tab.page.locator("dialog[open]").wait_for(state="detached")
            await tab.type_at_end(TITLE, word)
            await tab.page.wait_for_timeout(random.choice([0, 0, 100, 260, 300]))
            tab = await _hurt(tab, editing, page_id, number % 3)
        await tab.saved()

    editing.act(page_id, act, patience=30.0 * times)

    assert f">Title{''.join(words)}</h2>" in _html(editing, page_id)


def test_what_is_typed_is_saved_soon(editing: Editing, page_id: int) -> None:
    """From the last key to the answer, and from sending to the answer; medians."""

    async def act(tab: Opened) -> tuple[list[float], list[float]]:
        whole: list[float] = []
        sent: list[float] = []
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+End")
        for _ in range(15):
            await tab.page.keyboard.type("abc")
            pressed = time.perf_counter()
            async with tab.page.expect_response("**/landing.block.updatenodes") as answered:
                pass
            request = (await answered.value).request
            whole.append((time.perf_counter() - pressed) * 1000)
            sent.append(request.timing["responseStart"] - request.timing["requestStart"])
            await tab.saved()
        return whole, sent

    (whole, sent), _ = editing.act(page_id, act)

    assert median(whole) <= SAVED
    assert median(sent) <= AFTER_SENDING


@pytest.mark.parametrize("seconds", [4, pytest.param(120, marks=pytest.mark.soak)])
def test_two_browsers_edit_one_page_and_a_third_comes_back_to_it(
    editing: Editing, page_id: int, seconds: int
) -> None:
    """Each types in a place of its own; the third was cut off meanwhile. Nothing is lost."""
    words: dict[str, list[str]] = {"one": [], "two": [], "three": []}

    async def act(tab: Opened) -> None:
        browser = tab.context.browser
        assert browser is not None
        tabs = {"one": tab}
        for name in ("two", "three"):
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(editing.link())
            tabs[name] = Opened(page, tab.base)
            await tabs[name].open(page_id)
        places = {"one": TITLE, "two": TEXT, "three": f"{TEXT} p >> nth=-1"}
        await tabs["three"].context.set_offline(True)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name in ("one", "two"):
                words[name].append(f" {name}{len(words[name])}")
                await tabs[name].type_at_end(places[name], words[name][-1])
                await tabs[name].page.wait_for_timeout(random.randrange(400))
        words["three"].append("three")
        await tabs["three"].page.locator(".ed-block").first.click()
        await tabs["three"].page.locator("summary", has_text="Anchor").click()
        await tabs["three"].page.locator(".ed-anchor input").fill("three")
        await tabs["three"].page.keyboard.press("Tab")
        await tabs["three"].context.set_offline(False)
        # After more than 200 changes nobody knows any more what was seen: it is asked.
        asked = tabs["three"].page.get_by_role("button", name="Keep mine")
        await asked.or_(tabs["three"].page.locator(SAVED_STATE)).first.wait_for()
        if await asked.count():
            await asked.click()
        for each in tabs.values():
            await each.saved()

    editing.act(page_id, act, patience=60.0 + 3 * seconds)

    html = _html(editing, page_id)
    assert f">Title{''.join(words['one'])}</h2>" in html
    assert f"One.{''.join(words['two'])}</p>" in html
    shown = editing.demo.call("landing.block.getlist", lid=page_id, params={"edit_mode": True})
    content = editing.demo.call(
        "landing.block.getcontent", lid=page_id, block=shown["result"][0]["id"], editMode=True
    )
    assert content["result"]["anchor"] == "three"
