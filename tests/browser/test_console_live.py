"""Screens keep up with the service by themselves, and disturb nobody at work in them."""

from typing import Any

from browser.consoled import CONSOLE, Consoled, add_user
from contract.pictures import PNG, picture
from playwright.async_api import Page, expect

MARK = "selector => document.querySelectorAll(selector).forEach(each => { each.kept = true })"
KEPT = "selector => [...document.querySelectorAll(selector)].map(each => each.kept === true)"
WATCH = """
() => {
  window.changes = 0
  const seen = new MutationObserver(all => { window.changes += all.length })
  const all = { subtree: true, childList: true, attributes: true, characterData: true }
  seen.observe(document.getElementById('live'), all)
}
"""
_PATIENCE: Any = {"timeout": 40_000}


async def renewed(page: Page) -> None:
    """Wait until the screen was asked for again, and what came of it is shown."""
    await page.evaluate(
        "new Promise(done => document.addEventListener('landyard:renewed', done, { once: true }))"
    )


def test_a_renewal_with_nothing_changed_changes_no_element(console: Consoled) -> None:
    async def act(page: Page) -> dict[str, int]:
        changes = {}
        for path in ("users", "library", "service/settings", "submissions", "keys"):
            await page.goto(f"{console.base}{CONSOLE}/{path}")
            await page.evaluate(WATCH)
            await renewed(page)
            changes[path] = await page.evaluate("window.changes")
        return changes

    changes, _ = console.act(act)

    assert set(changes.values()) == {0}, changes


def test_users_keep_up_beside_a_tick_a_choice_and_the_focus(console: Consoled) -> None:
    _, ann = add_user(console.data, "Abe"), add_user(console.data, "Ann")

    async def act(page: Page) -> tuple[list[bool], list[bool]]:
        await page.goto(f"{console.base}{CONSOLE}/users")
        rows = f"#user-{ann}, #rights-{ann}-\\*"
        await page.evaluate(MARK, rows)
        chosen = page.locator("select[name=user]")
        await chosen.select_option(label="Ann")
        await page.locator(f"[id='right-{ann}-*-edit']").focus()
        bob = add_user(console.data, "Bob")
        await expect(page.locator(f"#user-{bob}")).to_be_visible(**_PATIENCE)
        await expect(page.get_by_label("Bob: Edit, Everywhere")).to_be_visible()
        await expect(page.locator(f"[id='right-{ann}-*-edit']")).to_be_focused()
        await expect(chosen).to_have_value(str(ann))
        kept = await page.evaluate(KEPT, rows)
        # A tick is a call, and has the focus still when the screen was asked for again.
        await page.keyboard.press("Space")
        await expect(page.get_by_label("Ann: View, Everywhere")).to_be_checked()
        await expect(page.locator(f"[id='right-{ann}-*-edit']")).to_be_focused()
        # An open menu stays as it is; behind it nothing is asked for.
        await page.get_by_role("button", name="Actions for Ann").click()
        menu = page.locator(f"#u{ann}")
        add_user(console.data, "Carl")
        await page.wait_for_timeout(12_000)
        await expect(menu).to_be_visible()
        await expect(page.get_by_role("row", name="Carl")).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("row", name="Carl")).not_to_have_count(0, **_PATIENCE)
        await expect(page.get_by_role("button", name="Actions for Ann")).to_be_focused()
        return kept, await page.evaluate(KEPT, rows)

    (kept, later), _ = console.act(act)

    assert kept == [True, True]
    assert later == [False, False]  # made anew by the call


def test_the_library_keeps_up_beside_a_text_half_typed(console: Consoled) -> None:
    async def act(page: Page) -> list[bool]:
        await page.goto(f"{console.base}{CONSOLE}/library")
        await page.evaluate(MARK, "#live img")
        text = page.get_by_label("Text in the place of old.png")
        await text.fill("A boat, half ")
        await page.get_by_role("heading", level=1).click()  # the focus is elsewhere
        await page.evaluate("document.activeElement.blur()")
        console.call("landing.block.uploadfile", block=102, picture=picture(PNG, "fresh.png"))
        await expect(page.get_by_role("listitem").filter(has_text="fresh.png")).to_be_visible(
            **_PATIENCE
        )
        await expect(text).to_have_value("A boat, half ")
        return list(await page.evaluate(KEPT, "#live img"))

    kept, _ = console.act(act)

    assert kept == [False, True]  # the latest is the first


def test_settings_follow_a_plugin_that_is_switched_off(console: Consoled) -> None:
    """Their values are of the start, but a plugin's are in force as long as it is on."""

    async def act(page: Page) -> None:
        await page.goto(f"{console.base}{CONSOLE}/service/settings")
        setting = page.get_by_role("row", name="forms.")
        await expect(setting.first).to_be_visible()
        await page.evaluate(MARK, "#setting-time_zone")
        other = await page.context.new_page()
        await other.goto(f"{console.base}{CONSOLE}/plugins/forms")
        for word in ("Switch off", "Switch on"):
            await other.get_by_role("button", name=word, exact=True).first.click()
            if word == "Switch off":
                await other.get_by_role("dialog").get_by_role("button", name=word).click()
            await page.bring_to_front()
            count = expect(setting)
            if word == "Switch off":
                await count.to_have_count(0, **_PATIENCE)
            else:
                await count.not_to_have_count(0, **_PATIENCE)
        assert await page.evaluate(KEPT, "#setting-time_zone") == [True]

    console.act(act)


def test_who_looks_is_told_when_the_service_does_not_answer(console: Consoled) -> None:
    async def act(page: Page) -> None:
        await page.goto(f"{console.base}{CONSOLE}/service")
        line = page.get_by_text("No connection to the service")
        await page.route("**/console/service", lambda route: route.abort())
        await expect(line).to_be_visible(**_PATIENCE)
        await page.unroute("**/console/service")
        await expect(line).to_be_hidden(**_PATIENCE)

    console.act(act)
