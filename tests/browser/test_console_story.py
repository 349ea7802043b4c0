"""The console's whole story, as one person uses it: from a fresh service to a page and back."""

import io
import re
from pathlib import Path

import pytest
from browser.console_editor import Opened
from browser.visiting import CHROMIUM, Visitor
from kernel import processes
from kernel.supervised import until
from PIL import Image
from playwright.async_api import FilePayload, Page, expect

PATIENCE = 180.0
"""Seconds of script, at most."""

SIGN_IN = re.compile(r"Console +(http://\S+/-/console/sign-in\?key=\S+)")
TITLE, CARD = ".landing-block-node-title", ".landing-block-node-card-title"
QUOTE = ".landing-block-node-quote"
HEADLINE, LINE, LAST = "High water at noon", "A blue boat", "Boats wait for nobody"


def _picture() -> FilePayload:
    kept = io.BytesIO()
    Image.new("RGB", (320, 240), "navy").save(kept, "PNG")
    return FilePayload(name="boat.png", mimeType="image/png", buffer=kept.getvalue())


async def _make(page: Page) -> Opened:
    """Make a page from a template; the editor opens."""
    await page.get_by_role("link", name="New page").click()
    await page.wait_for_url("**/pages/new/**", wait_until="domcontentloaded")
    await page.get_by_role("button", name="News article", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Title").fill("Tides")
    await dialog.get_by_role("button", name="Make the page").click()
    await page.locator("#editor[data-ready]").wait_for()
    return Opened(page, "")


async def _edit(tab: Opened) -> None:
    """Edit a text, a picture with its alternative text, a card, and add a block."""
    page = tab.page
    await tab.node(TITLE).click()
    await page.keyboard.press("Control+a")
    await page.keyboard.type(HEADLINE)
    await page.keyboard.press("Escape")

    await tab.node("[data-ly-kind=img]").click()
    async with page.expect_file_chooser() as asked:
        await page.get_by_role("button", name="Upload …").click()
    await (await asked.value).set_files(_picture())
    await tab.frame.locator("img[src*='boat.png']").wait_for()
    await page.get_by_label("Alternative text").fill(LINE)
    await page.keyboard.press("Tab")
    await tab.frame.get_by_alt_text(LINE).wait_for()

    cards = await tab.frame.locator(CARD).count()
    await page.locator(".ed-block", has_text="Cards with icons").click()
    await page.get_by_role("button", name="Add another").click()
    await expect(tab.frame.locator(CARD)).to_have_count(cards + 1)
    await tab.type_at_end(CARD, " at last", cards)
    await page.keyboard.press("Escape")

    await page.get_by_role("button", name="Add a block").click()
    await page.get_by_role("searchbox").fill("quotation")
    await page.locator(".ed-gallery button").first.click()
    added = tab.frame.locator(QUOTE).nth(1)
    await added.click()
    await page.keyboard.press("Control+a")
    await page.keyboard.type(LAST)
    await page.keyboard.press("Escape")
    await tab.saved()


async def _preview(tab: Opened) -> str:
    """Make a link, open it in another browser, and read the page there."""
    page = tab.page
    await page.get_by_role("button", name="Share the draft").click()
    await page.get_by_role("button", name="Make a link").click()
    address = await page.get_by_label("Link", exact=True).input_value()
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()
    assert page.context.browser
    somebody = await page.context.browser.new_context()
    shown = await somebody.new_page()
    await shown.goto(address)
    text = await shown.locator("body").inner_text()
    await somebody.close()
    return text


async def _publish(tab: Opened) -> Page:
    """Publish, and look at the page as visitors do."""
    page = tab.page
    await page.get_by_role("button", name="Publish …").click()
    await page.get_by_role("button", name="Publish now").click()
    await page.get_by_text("Published. Visitors see it now.").wait_for()
    await page.get_by_role("link", name="To the pages").click()
    row = page.get_by_role("row", name="Tides")
    await expect(row).to_contain_text("Published")
    await page.get_by_role("button", name="Actions for Tides").click()
    async with page.context.expect_page() as opened:
        await (
            page.get_by_role("link", name="View as visitors do")
            .and_(page.locator(":visible"))
            .click()
        )
    visited = await opened.value
    await visited.get_by_text(HEADLINE).first.wait_for()
    await visited.get_by_alt_text(LINE).wait_for()
    return visited


async def _undo(tab: Opened, visited: Page) -> None:
    """Undo the last change in the draft, which visitors do not see."""
    page = tab.page
    await page.get_by_role("row", name="Tides").get_by_role("link", name="Tides").click()
    await page.locator("#editor[data-ready]").wait_for()
    await tab.frame.get_by_text(LAST).wait_for()
    await page.get_by_role("button", name="Undo").click()
    await tab.frame.get_by_text(LAST).wait_for(state="detached")
    await tab.saved()
    await visited.reload()
    await visited.get_by_text(LAST).wait_for()
    await page.get_by_role("link", name="To the pages").click()


async def _trash_and_restore(page: Page, visited: Page) -> None:
    async def choose(action: str) -> None:
        await page.get_by_role("button", name="Actions for Tides").click()
        await page.get_by_role("button", name=action).and_(page.locator(":visible")).click()

    row = page.get_by_role("row", name="Tides")
    await expect(row).to_contain_text("Changed since")
    await choose("Move to trash")
    await expect(row).to_have_count(0)
    answer = await visited.reload()
    assert answer
    assert answer.status == 404
    await page.get_by_role("link", name="Trash", exact=True).click()
    await choose("Restore")
    await expect(row).to_have_count(0)
    await page.get_by_role("link", name="All", exact=True).click()
    await expect(row).to_contain_text("Unpublished")


def test_a_page_is_made_edited_previewed_published_undone_trashed_and_restored(
    tmp_path: Path,
) -> None:
    """By clicks and keys alone: only the console calls methods."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here")

    with processes.serving(tmp_path, "--demo", LANDYARD_DATA=str(tmp_path)) as server:
        until(lambda: SIGN_IN.search(server.out) is not None, lambda: server.out)
        link = SIGN_IN.search(server.out)
        assert link
        visitor = Visitor(f"http://127.0.0.1:{server.port}")

        async def act(page: Page) -> str:
            await page.goto(link[1])
            tab = await _make(page)
            await _edit(tab)
            text = await _preview(tab)
            visited = await _publish(tab)
            await _undo(tab, visited)
            await _trash_and_restore(page, visited)
            return text

        text, visit = visitor.act(act, patience=PATIENCE)
        visitor.close()

    assert (HEADLINE in text, "at last" in text, LAST in text) == (True, True, True)
    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])
