"""The editor's features, used by clicks and keys, by users with different rights."""

import io
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser.conftest import Demo
from browser.console_editor import SITE, Editing, Opened, make_page
from clients.serving import load
from PIL import Image
from playwright.async_api import FilePayload, Page, expect

TITLE, TEXT = ".landing-block-node-title", ".landing-block-node-text"
CARD = ".landing-block-card"
VIEWER = 72
ONE, TWO, THREE = "ly.text", "ly.quote", "ly.cards"


@pytest.fixture
def page_id(demo: Demo, page_number: int) -> int:
    """A page of its own with three blocks."""
    return make_page(demo, page_number, [{"code": code} for code in (ONE, TWO, THREE)])


def _blocks(editing: Editing, page_id: int) -> list[dict[str, Any]]:
    mode = {"edit_mode": True, "get_content": True}
    found: list[dict[str, Any]] = editing.demo.call(
        "landing.block.getlist", lid=page_id, params=mode
    )["result"]
    return found


def _codes(editing: Editing, page_id: int) -> list[str]:
    return [block["code"] for block in _blocks(editing, page_id)]


async def _choose(tab: Opened, at: int) -> None:
    await tab.page.locator(".ed-block").nth(at).click()


async def _press(tab: Opened, name: str) -> None:
    await tab.page.get_by_role("button", name=name, exact=True).first.click()
    await tab.saved()


def test_a_block_is_added_from_the_gallery_after_the_chosen_one(
    editing: Editing, page_id: int
) -> None:
    async def act(tab: Opened) -> None:
        await _choose(tab, 0)
        await tab.page.get_by_role("button", name="Add a block").click()
        await tab.page.get_by_role("searchbox").fill("timeline")
        await tab.page.locator(".ed-gallery button").first.click()
        await tab.frame.locator(".site-timeline").wait_for()

    editing.act(page_id, act)

    assert _codes(editing, page_id) == [ONE, "site.timeline", TWO, THREE]


@pytest.mark.parametrize("way", ["buttons", "keys", "dragging"])
def test_a_block_is_moved_in_every_way(editing: Editing, page_id: int, way: str) -> None:
    async def act(tab: Opened) -> list[str]:
        blocks = tab.page.locator(".ed-block")
        if way == "buttons":
            await _choose(tab, 2)
            await _press(tab, "Move up")
            await _press(tab, "Move up")
        elif way == "keys":
            await blocks.nth(2).focus()
            await tab.page.keyboard.press("Alt+ArrowUp")
            await tab.saved()
            await tab.page.keyboard.press("Alt+ArrowUp")
        else:
            await blocks.nth(2).drag_to(blocks.nth(0), target_position={"x": 20, "y": 2})
        await tab.saved()
        shown = "[...document.querySelector('iframe').contentDocument"
        shown += ".querySelectorAll('[data-block]')].map(each => each.className)"
        classes: list[str] = await tab.page.evaluate(shown)
        return classes

    classes, _ = editing.act(page_id, act)

    assert _codes(editing, page_id) == [THREE, ONE, TWO]
    assert [each.split("block-ly-")[1] for each in classes] == ["cards", "text", "quote"]


def test_a_block_is_hidden_copied_and_removed(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        await _choose(tab, 1)
        await _press(tab, "Hide from visitors")
        await _choose(tab, 0)
        await _press(tab, "Duplicate")
        await _choose(tab, 3)
        await _press(tab, "Remove")

    editing.act(page_id, act)

    blocks = _blocks(editing, page_id)
    assert [(block["code"], block["active"]) for block in blocks] == [
        (ONE, True),
        (ONE, True),
        (TWO, False),
    ]


def test_cards_are_added_reordered_and_removed(editing: Editing, page_id: int) -> None:
    before = _blocks(editing, page_id)[2]["content"].count(' class="landing-block-card ')

    async def act(tab: Opened) -> None:
        await tab.type_at_end(".landing-block-node-card-title", " first")
        await tab.page.keyboard.press("Escape")
        await _choose(tab, 2)
        await _press(tab, "Add another")
        await tab.page.locator(".ed-cards [aria-label^='Move down']").first.click()
        await tab.saved()
        await tab.page.locator(".ed-cards [aria-label^='Remove']").first.click()
        await tab.saved()

    editing.act(page_id, act)

    cards = _blocks(editing, page_id)[2]["content"].split(' class="landing-block-card ')[1:]
    # The first card moved down by one, and the former second one is removed.
    assert [" first<" in card for card in cards] == [True, *[False] * (before - 1)]


def test_a_setting_of_the_manifest_is_set(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        await _choose(tab, 0)
        await tab.page.get_by_label("Tone").select_option("deep")
        await tab.saved()

    editing.act(page_id, act)

    assert 'data-tone="deep"' in _blocks(editing, page_id)[0]["content"]


@pytest.mark.parametrize("width", [1280, 390])
def test_texts_that_the_page_draws_differently_are_edited_in_the_panel(
    demo: Demo, editing: Editing, page_number: int, width: int, tmp_path: Path
) -> None:
    """Labels and the button of a form: page, list and panel show the same text."""
    form = make_page(demo, page_number + 1, [{"code": "forms.form"}])

    async def act(tab: Opened) -> None:
        page, text = tab.page, tab.page.locator(".ed-panel [data-name=text]")
        await tab.frame.locator("label", has_text="Your name").click()
        await expect(text).to_be_focused()
        await expect(text).to_have_value("Your name")
        panel = page.locator(".ed-panel")
        await expect(panel).to_contain_text("Write it here.")
        await expect(panel).not_to_contain_text("Type in the page")
        await expect(panel.get_by_role("button", name="Edit the text")).to_have_count(0)
        await page.screenshot(path=tmp_path / f"label-{width}.png")
        await text.fill("Votre nom <ou> & pseudo")
        await text.press("Tab")
        await tab.saved()
        await expect(tab.frame.locator("label").first).to_have_text("Votre nom <ou> & pseudo")
        await tab.frame.locator("button", has_text="Send").click()
        await text.fill("Envoyer")
        await text.press("Tab")
        await tab.saved()
        await expect(tab.frame.locator("form button")).to_have_text("Envoyer")

    editing.act(form, act, width=width)

    (block,) = _blocks(editing, form)
    assert ">Votre nom &lt;ou&gt; &amp; pseudo</strong>" in block["content"]
    assert ">Envoyer</span>" in block["content"]


def test_fields_of_a_form_are_named_by_their_labels(
    demo: Demo, editing: Editing, page_number: int
) -> None:
    form = make_page(demo, page_number + 1, [{"code": "forms.form"}])

    async def act(tab: Opened) -> tuple[list[str], list[str]]:
        await _choose(tab, 0)
        panel = tab.page.locator(".ed-panel")
        names = await panel.locator("details.ed-more > summary").all_inner_texts()
        hints = panel.get_by_role("button", name="Hint for who fills it in")
        told = [(await each.inner_text()).partition("\n")[0] for each in await hints.all()]
        await hints.nth(1).click()
        await expect(panel.locator("h3").first).to_have_text(told[1])
        return names, told

    (names, told), _ = editing.act(form, act)

    labels = ["Your name", "Your mail address", "What it is about"]
    assert names[:3] == labels
    assert told == [f"Hint for who fills it in · {label}" for label in labels]


def test_an_icon_is_chosen_among_those_that_the_page_draws(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> list[str]:
        await _choose(tab, 2)
        panel = tab.page.locator(".ed-panel")
        await panel.get_by_role("button", name="Icon").first.click()
        icon = panel.get_by_label("Icon", exact=True)
        before = await icon.input_value()
        await icon.select_option(label="anchor")
        await tab.saved()
        return [before, await icon.input_value()]

    chosen, _ = editing.act(page_id, act)

    assert chosen[0].startswith("icon-")
    assert chosen[1] == "icon-anchor"
    content = _blocks(editing, page_id)[2]["content"]
    assert 'class="landing-block-node-icon' in content
    assert content.count("icon-anchor") == 1 + (chosen[0] == "icon-anchor")


def test_words_become_a_link_and_bold(editing: Editing, page_id: int) -> None:
    async def act(tab: Opened) -> None:
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+a")
        await tab.page.keyboard.type("Wood")
        await tab.page.keyboard.press("Control+a")
        await tab.page.keyboard.press("Control+b")
        await tab.page.keyboard.press("Control+k")
        await tab.page.get_by_role("textbox", name="Address").fill("/boats/")
        await tab.page.keyboard.press("Enter")
        await tab.saved()

    editing.act(page_id, act)

    written = '><strong><a href="/boats/">Wood</a></strong></h2>'
    assert written in _blocks(editing, page_id)[0]["content"]


def test_paragraphs_are_typed_and_undone_in_one_step(editing: Editing, page_id: int) -> None:
    before = _blocks(editing, page_id)[0]["content"]

    async def act(tab: Opened) -> str:
        await tab.node(f"{TEXT} p").click()
        await tab.frame.locator(".ProseMirror-focused").wait_for()
        await tab.page.keyboard.press("Control+End")
        await tab.page.keyboard.press("Enter")
        await tab.page.keyboard.type("One more.")
        await tab.saved()
        written: str = _blocks(editing, page_id)[0]["content"]
        await tab.page.keyboard.press("Control+z")
        await tab.frame.get_by_text("One more.").wait_for(state="detached")
        await tab.saved()
        return written

    written, _ = editing.act(page_id, act)

    assert "<p>One more.</p>" in written
    assert _blocks(editing, page_id)[0]["content"] == before


def test_pasted_text_loses_formatting_that_no_text_needs(editing: Editing, page_id: int) -> None:
    pasted = (
        '<meta charset="utf-8"><b style="font-weight:normal"><p style="color:red" onclick="x()">'
        'A <strong class="x">b</strong><img src=x onerror="ran(1)"><script>ran(2)</script></p></b>'
        '<a href="javascript:ran(3)">c</a>'
    )

    async def act(tab: Opened) -> None:
        await tab.node(TITLE).click()
        await tab.page.keyboard.press("Control+a")
        await tab.page.evaluate(
            """html => {
              const data = new DataTransfer()
              data.setData('text/html', html)
              const page = document.querySelector('iframe').contentDocument
              const how = { clipboardData: data, bubbles: true, cancelable: true }
              page.activeElement.dispatchEvent(new ClipboardEvent('paste', how))
            }""",
            pasted,
        )
        await tab.saved()

    _, visit = editing.act(page_id, act)

    content = _blocks(editing, page_id)[0]["content"]
    assert "A <strong>b</strong>" in content
    assert not any(each in content for each in ("onclick", "color:red", "<img", "javascript:"))
    assert (visit.ran, visit.dialogs) == ([], [])


def test_a_picture_is_uploaded_placed_and_described(demo: Demo, editing: Editing) -> None:
    page_id = make_page(demo, 809, [{"code": "ly.text_picture"}])
    kept = io.BytesIO()
    Image.new("RGB", (40, 30), "navy").save(kept, "PNG")

    async def act(tab: Opened) -> None:
        await tab.node("[data-ly-kind=img]").click()
        file = FilePayload(name="boat.png", mimeType="image/png", buffer=kept.getvalue())
        await tab.page.locator("input[type=file]").set_input_files(file)
        await tab.frame.locator("img[src*='boat.png']").wait_for()
        assert await tab.page.get_by_text("Uploading boat.png").count() == 0
        # The block type's alternative text belongs to its own picture, so this picture has none.
        await expect(tab.page.get_by_label("Alternative text")).to_have_value("")
        await tab.page.get_by_label("Alternative text").fill("A blue boat")
        await tab.page.keyboard.press("Tab")
        await tab.saved()

    editing.act(page_id, act)

    content = _blocks(editing, page_id)[0]["content"]
    assert 'alt="A blue boat"' in content
    assert "/boat.png" in content


def test_publishing_shows_what_will_change(editing: Editing, page_id: int) -> None:
    editing.demo.publish(page_id)

    async def act(tab: Opened) -> str:
        await tab.type_at_end(TITLE, " anew")
        await tab.page.get_by_role("button", name="Publish …").click()
        shown = await tab.page.locator(".ed-differences li").first.inner_text()
        await tab.page.get_by_role("button", name="Publish now").click()
        await tab.page.get_by_text("Published. Visitors see it now.").wait_for()
        return shown

    shown, _ = editing.act(page_id, act)
    address = editing.demo.call("landing.landing.getpublicurl", lid=page_id)["result"]
    path = "/" + address.split("/", 3)[3]

    assert "anew" in shown
    assert " anew</h2>" in httpx.get(editing.demo.base + path).text


def test_a_user_who_may_only_view_is_told_so(demo: Demo, editing: Editing, page_id: int) -> None:
    rights = {"sites_access": True, "rights": {str(SITE): ["view"]}}
    load(demo.data, {"users": [{"id": VIEWER, "name": "Vera", **rights}]})

    async def act(tab: Opened) -> bool:
        await tab.node(TITLE).click()
        await tab.page.get_by_text("You may look at this page").first.wait_for()
        return bool(await tab.node(TITLE).evaluate("each => each.isContentEditable"))

    is_open, _ = editing.act(page_id, act, user=VIEWER)

    assert is_open is False


def test_a_missing_page_opens_no_editor(editing: Editing) -> None:
    async def act(page: Page) -> tuple[int, int]:
        await page.goto(editing.link())
        answer = await page.goto(f"{editing.demo.base}/-/console/editor/999999")
        frame = await page.goto(f"{editing.demo.base}/-/console/editor/999999/draft")
        assert answer is not None
        assert frame is not None
        return answer.status, frame.status

    statuses, _ = editing.visitor.act(act, base=editing.demo.base)

    assert min(statuses) >= 400
