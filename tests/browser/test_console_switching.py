"""Plugins switched in the console: the notice before, and the result at once."""

from browser.console_operator import CONSOLE, Consoled
from playwright.async_api import Page, expect


def test_plugins_switched_off_with_another_are_named_and_its_screen_switches_it_on_again(
    console: Consoled,
) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Write", "SITE_ID": 1})
    console.call("landing.landing.addblock", lid=made, fields={"CODE": "forms.form"})
    console.call("landing.landing.publication", lid=made)

    async def visitors_see(page: Page, *, form: bool) -> None:
        visit = await page.context.new_page()
        await visit.goto(f"{console.base}/demo/write/")
        await expect(visit.get_by_role("heading", name="Write to us")).to_be_visible()
        await expect(visit.get_by_text("Send", exact=True)).to_be_visible(visible=form)
        await expect(visit.get_by_text("Your name")).to_be_visible(visible=form)
        await visit.close()

    async def act(page: Page) -> None:
        await visitors_see(page, form=True)
        link = page.get_by_role("navigation").get_by_role("link", name="Submissions")
        await page.get_by_role("link", name="Plugins").click()
        await expect(page.get_by_role("row", name="forms")).to_contain_text("Forms on pages")
        await page.goto(f"{console.base}{CONSOLE}/plugins/pictures")
        await page.get_by_role("button", name="Switch off", exact=True).first.click()
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text("what needs it: forms (methods:")
        await dialog.get_by_role("button", name="Cancel").click()
        await page.goto(f"{console.base}{CONSOLE}/plugins/forms")
        await page.get_by_role("button", name="Switch off", exact=True).first.click()
        await expect(dialog).to_contain_text("The sites' pages stay.")
        await dialog.get_by_role("button", name="Switch off").click()
        await expect(link).to_have_count(0)
        await visitors_see(page, form=False)
        await page.goto(f"{console.base}{CONSOLE}/submissions")
        await expect(page.get_by_role("main")).to_contain_text("“forms” is switched off")
        await page.get_by_role("button", name="Switch on").click()
        await expect(page.get_by_role("main")).to_contain_text("Nothing was sent yet")
        await expect(link).to_have_count(1)

    console.act(act)
