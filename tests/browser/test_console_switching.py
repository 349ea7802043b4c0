"""Plugins switched in the console: what is told before, and what is seen at once after it."""

from browser.consoled import CONSOLE, Consoled
from playwright.async_api import Page, expect


def test_what_goes_off_with_a_plugin_is_told_and_its_screen_lets_it_be_switched_on(
    console: Consoled,
) -> None:
    async def act(page: Page) -> None:
        link = page.get_by_role("navigation").get_by_role("link", name="Submissions")
        await page.get_by_role("link", name="Plugins").click()
        await expect(page.get_by_role("row", name="forms")).to_contain_text("visitors fill in")
        await page.goto(f"{console.base}{CONSOLE}/plugins/uploads")
        await page.get_by_role("button", name="Switch off", exact=True).first.click()
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("what needs it: forms, pictures")
        await dialog.get_by_role("button", name="Cancel").click()
        await page.goto(f"{console.base}{CONSOLE}/plugins/forms")
        await page.get_by_role("button", name="Switch off", exact=True).first.click()
        await expect(dialog).to_contain_text("The sites' pages stay.")
        await dialog.get_by_role("button", name="Switch off").click()
        await expect(link).to_have_count(0)
        await page.goto(f"{console.base}{CONSOLE}/submissions")
        await expect(page.get_by_role("main")).to_contain_text("“forms” is switched off")
        await page.get_by_role("button", name="Switch on").click()
        await expect(page.get_by_role("main")).to_contain_text("Nothing was sent yet")
        await expect(link).to_have_count(1)

    console.act(act)
