"""Networks are cut, sessions end and tabs are closed: nothing is lost, and everything is saved
soon.
"""

import random
import time
from statistics import median

import pytest
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page

TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
HTML = (
    '<section class="landing-block"><h2 class="landing-block-node-title">Title</h2>'
    '<div class="landing-block-node-text"><p>One.</p></div></section>'
)
BURSTS = 100
SAVED, AFTER_SENDING = 450, 150  # ms
SAVED_STATE = ".ed-state.saved"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with one block."""
    return make_page(demo, page_number, [{"code": "ly.text", "content": HTML}])


def _html(editing: Editing, page_id: int) -> str:
    (content,) = editing.contents(page_id)
    return content


async def _hurt(tab: Opened, editing: Editing, page_id: int, way: int) -> Opened:
    """Cut the network, end the session, or close the tab; return the tab to continue in."""
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


def test_typed_text_is_saved_soon(editing: Editing, page_id: int) -> None:
    """The medians from the last key to the answer, and from sending to the answer."""

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
def test_two_browsers_edit_one_page_and_a_third_returns_to_it(
    editing: Editing, page_id: int, seconds: int
) -> None:
    """Each types in a place of its own; the third was offline meanwhile. Nothing is lost."""
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
        # After more than 200 changes the read revision is forgotten, so the editor asks the user.
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
