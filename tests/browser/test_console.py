"""The console as people use it: an editor and an operator at work, by clicks and keys."""

import re
from pathlib import Path

import pytest
from browser.axe import SCHEMES, SETTLE, examine
from browser.console_operator import CONSOLE, Consoled, add_user
from playwright.async_api import Page, expect


async def choose(page: Page, row: str, action: str) -> None:
    """Open the menu of a row, and choose an entry."""
    await page.get_by_role("button", name=f"Actions for {row}").click()
    await page.get_by_role("button", name=action).and_(page.locator(":visible")).click()


def test_an_editor_makes_publishes_trashes_and_restores_a_page(console: Consoled) -> None:
    async def act(page: Page) -> None:
        await page.get_by_role("link", name="New page").click()
        await page.wait_for_url("**/pages/new/**", wait_until="domcontentloaded")
        await page.get_by_role("button", name="Event", exact=True).click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Title").fill("Open day")
        await dialog.get_by_role("button", name="Make the page").click()
        await page.wait_for_url(re.compile(r"/editor/\d+"))
        await page.goto(f"{console.base}{CONSOLE}/pages")
        row = page.get_by_role("row", name="Open day")
        await expect(row).to_contain_text("Draft")
        await choose(page, "Open day", "Publish")
        await expect(row).to_contain_text("Published")
        await choose(page, "Open day", "Rename…")
        await page.get_by_role("dialog").get_by_label("Address").fill("harbour-day")
        await page.get_by_role("button", name="Save").click()
        await expect(row).to_contain_text("harbour-day")
        await choose(page, "Open day", "Move to trash")
        await expect(row).to_have_count(0)
        await page.get_by_role("link", name="Trash", exact=True).click()
        await choose(page, "Open day", "Restore")
        await expect(row).to_have_count(0)
        await page.get_by_role("link", name="All", exact=True).click()
        await expect(row).to_contain_text("Unpublished")

    _, visit = console.act(act)

    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])


def test_a_page_is_found_moved_and_copied_by_keys_alone(console: Consoled) -> None:
    async def act(page: Page) -> list[str]:
        await page.get_by_role("searchbox").focus()
        await page.keyboard.type("visit")
        await expect(page.locator("#found tbody tr")).to_have_count(1)
        await page.get_by_role("button", name="Actions for Visit").focus()
        await page.keyboard.press("Enter")
        while await page.evaluate("document.activeElement.textContent") != "Copy…":
            await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.get_by_label("Folder").select_option(label="Stories")
        await page.get_by_role("dialog").get_by_role("button", name="Copy…").press("Enter")
        await expect(page.locator("#told")).to_contain_text("Copied")
        await page.goto(f"{console.base}{CONSOLE}/pages")
        await page.get_by_role("row", name="Stories").get_by_role("link").click()
        return await page.locator("tbody th").all_inner_texts()

    found, _ = console.act(act)

    assert any("Visit Tidewright" in each for each in found)


def test_pages_are_found_by_their_state_and_a_search_keeps_to_it(console: Consoled) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Spring tide", "SITE_ID": 1})

    async def act(page: Page) -> None:
        row, chips = page.get_by_role("row", name="Spring tide"), page.get_by_role("group")

        async def stands(name: str, badge: str) -> None:
            for chip in ("Published", "Changed since", "Draft", "Unpublished"):
                await chips.get_by_role("link", name=chip, exact=True).click()
                await expect(page.locator("#states [aria-current]")).to_have_text(chip)
                await expect(row).to_have_count(int(chip == name))
            await chips.get_by_role("link", name=name, exact=True).click()
            await expect(row).to_contain_text(badge)

        await stands("Draft", "Draft")
        await choose(page, "Spring tide", "Publish")
        await stands("Published", "Published")
        console.call("landing.landing.addblock", lid=made, fields={"CODE": "ly.text"})
        await stands("Changed since", "Changed since")
        await page.get_by_role("searchbox").fill("no page like it")
        await expect(page.get_by_role("main")).to_contain_text("No page found")
        await page.get_by_role("searchbox").fill("spring")
        await expect(row).to_contain_text("Changed since")
        await page.reload()
        await expect(page.locator("#states [aria-current]")).to_have_text("Changed since")
        await choose(page, "Spring tide", "Unpublish")
        await page.get_by_role("searchbox").fill("")
        await stands("Unpublished", "Unpublished")

    console.act(act)


SCREENS = (
    *(
        "pages",
        "pages?q=nothing+like+it",
        "pages?state=trash",
        "pages?state=changed",
        "pages/2",
        "pages/new/1/0",
    ),
    *("pages/new-site", "library", "library?unused=1", "submissions", "submissions/10"),
    *("service", "service/jobs", "service/limits", "service/settings", "plugins"),
    *("plugins/broken", "plugins/pages", "audit", "audit?method=none", "tasks", "users", "keys"),
    *("keys/token", "me", "nowhere", "pages/999999"),
)
DIALOGS = (
    *("pages/rename/10", "pages/move/10", "pages/copy/10", "pages/folder-new/1/0"),
    *(
        "pages/site/1",
        "pages/site-trash/1",
        "pages/folder/1/1",
        "pages/template/1/0?code=event",
        "pages/template/1/0",
    ),
    *("pages/site-template?code=agency", "pages/site-empty", "keys/webhook/new"),
    *("keys/webhook/rotate/1", "users/new", "users/edit/1", "users/password/1", "library/upload"),
    "library/replace/1?page=10",
)


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.soak)])
def test_axe_finds_nothing_on_any_screen_and_no_screen_is_too_wide(
    console: Consoled, width: int
) -> None:
    async def act(page: Page) -> tuple[list[str], list[str]]:
        findings, wide = list[str](), list[str]()
        for path in SCREENS:
            await page.goto(f"{console.base}{CONSOLE}/{path}")
            findings += await examine(page, path)
            if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(path)
        for path in DIALOGS:
            await page.goto(f"{console.base}{CONSOLE}/me")
            await page.evaluate(
                "path => { const it = document.createElement('button'); it.dataset.open = path;"
                " it.textContent = 'open'; document.querySelector('main').append(it); it.click() }",
                f"{CONSOLE}/{path}",
            )
            await page.get_by_role("dialog").wait_for()
            findings += await examine(page, path)
        return findings, wide

    (findings, wide), _ = console.act(act, width=width)

    assert findings == []
    assert wide == []


@pytest.mark.soak
def test_every_screen_is_photographed(console: Consoled, tmp_path: Path) -> None:
    """For people to look at: wide and narrow, light and dark, and in Arabic."""

    async def act(page: Page) -> None:
        for scheme in SCHEMES:
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for path in (*SCREENS, "pages?lang"):
                if path == "pages?lang":
                    await page.evaluate("document.cookie = 'landyard_language=ar; Path=/-/console'")
                await page.goto(f"{console.base}{CONSOLE}/{path}")
                await page.evaluate(SETTLE)
                name = re.sub(r"\W+", "-", path)
                shot = tmp_path / f"{name}-{page.viewport_size['width']}-{scheme}.png"  # type: ignore[index]
                await page.screenshot(path=shot, full_page=True)
            await page.context.clear_cookies(name="landyard_language")

    for width in (1280, 390):
        console.act(act, width=width)

    assert len(list(tmp_path.glob("*.png"))) == 4 * (len(SCREENS) + 1)


def test_axe_finds_nothing_on_refusing_screens(console: Consoled) -> None:
    """Without rights, signed out over the screen, offline, and at the sign-in page."""
    nobody = add_user(console.data, "Nobody")

    async def without(page: Page) -> list[str]:
        found = list[str]()
        for path in ("pages", "plugins", "audit", "me"):
            await page.goto(f"{console.base}{CONSOLE}/{path}")
            found += await examine(page, f"without rights {path}")
        await page.evaluate("document.dispatchEvent(new CustomEvent('landyard:signed-out'))")
        await page.get_by_role("dialog").wait_for()
        found += await examine(page, "signed out")
        await page.keyboard.press("Escape")
        await page.context.set_offline(True)
        await page.locator("#offline").wait_for()
        found += await examine(page, "offline")
        await page.context.set_offline(False)
        await page.context.clear_cookies()
        await page.goto(f"{console.base}{CONSOLE}/pages")
        return found + await examine(page, "the door")

    findings, _ = console.act(without, user=nobody)

    assert findings == []


def test_a_user_without_rights_is_refused_every_other_screen(console: Consoled) -> None:
    nobody = add_user(console.data, "Stranger")

    async def act(page: Page) -> tuple[list[str], list[int]]:
        seen = await page.get_by_role("navigation").get_by_role("link").all_inner_texts()
        statuses = []
        for path in ("pages", "plugins", "users", "audit", "keys"):
            answer = await page.goto(f"{console.base}{CONSOLE}/{path}")
            assert answer
            statuses.append(answer.status)
        return seen, statuses

    (seen, statuses), _ = console.act(act, user=nobody)

    assert not {"Plugins", "Audit", "Users", "Webhooks and tokens", "Service"} & set(seen)
    assert all(status >= 400 for status in statuses)
