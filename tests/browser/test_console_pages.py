"""The list of pages in the console: what is told of what was done, and what is offered next."""

from browser.consoled import Consoled
from browser.test_console import choose
from playwright.async_api import Page, expect


def test_the_trash_is_undone_and_what_was_restored_is_published(console: Consoled) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Slipway", "SITE_ID": 1})
    console.call("landing.landing.publication", lid=made)

    async def act(page: Page) -> float:
        row, told = page.get_by_role("row", name="Slipway"), page.locator("#told")
        await choose(page, "Slipway", "Move to trash")
        await expect(told).to_contain_text("Visitors no longer see it.")
        await told.get_by_role("button", name="Undo").click()
        await expect(row).to_contain_text("Published")
        await choose(page, "Slipway", "Move to trash")
        await page.get_by_role("link", name="Trash", exact=True).click()
        await expect(row.locator("th svg")).to_have_count(1)
        await choose(page, "Slipway", "Restore")
        await expect(row).to_have_count(0)
        await page.get_by_role("link", name="All", exact=True).click()
        seen = await row.get_by_text("Unpublished").bounding_box()
        await page.get_by_role("link", name="Unpublished", exact=True).click()
        await choose(page, "Slipway", "Move to trash")
        await expect(told).to_contain_text("Moved to the trash.")
        await page.get_by_role("link", name="Trash", exact=True).click()
        await choose(page, "Slipway", "Restore")
        await told.get_by_role("button", name="Publish").click()
        await page.get_by_role("link", name="All", exact=True).click()
        await expect(row).to_contain_text("Published")
        return seen["width"] if seen else 0

    width, _ = console.act(act)

    assert width > 20
