"""The console's screens of the account, of new secrets, and of visitors' submissions."""

from browser.console_operator import CONSOLE, Consoled
from playwright.async_api import Page, expect


def test_the_account_asks_for_an_existing_password_and_the_sign_in_page_is_still(
    console: Consoled,
) -> None:
    async def act(page: Page) -> tuple[object, object]:
        await page.goto(f"{console.base}{CONSOLE}/me")
        main = page.get_by_role("main")
        await expect(main).to_contain_text("write this name into “User”: Demo")
        await expect(page.get_by_label("Current password")).to_have_count(0)
        new = page.get_by_label("New password")
        await new.fill("a boat of larch")
        await page.get_by_role("button", name="Show", exact=True).click()
        await expect(new).to_have_attribute("type", "text")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_label("Current password")).to_have_count(1)
        await page.context.clear_cookies()
        await page.goto(f"{console.base}{CONSOLE}/me")
        field = page.get_by_label("User")
        before = await field.bounding_box()
        await page.get_by_text("I have no password").click()
        await expect(page.get_by_text("landyard console")).to_be_visible()
        return before, await field.bounding_box()

    (before, after), _ = console.act(act)

    assert before == after


def test_a_webhook_is_explained_limited_in_days_and_copied(console: Consoled) -> None:
    async def act(page: Page) -> str:
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await page.goto(f"{console.base}{CONSOLE}/keys")
        await expect(page.get_by_role("main")).to_contain_text("A webhook is an address")
        await page.get_by_role("button", name="New webhook").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("What it is for").fill("The till")
        await dialog.get_by_label("how many days").fill("2")
        await dialog.get_by_role("button", name="Make it").click()
        await dialog.get_by_role("button", name="Copy").click()
        await expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
        address = await page.evaluate("navigator.clipboard.readText()")
        assert address == await page.locator("#secret").input_value()
        await dialog.get_by_role("button", name="Close").click()
        await expect(page.get_by_role("row", name="The till")).to_be_visible()
        log = "document.getElementById('calls').open = true"
        await page.evaluate(log)
        await page.get_by_role("button", name="Copy as curl").last.click()
        await expect(page.get_by_role("button", name="Copied")).to_be_visible()
        return str(await page.evaluate("navigator.clipboard.readText()"))

    curl, _ = console.act(act)

    assert '"hours":48' in curl


def test_a_submission_is_new_once_answered_by_mail_and_exported_by_the_pages_name(
    console: Consoled,
) -> None:
    made = console.call("landing.landing.add", fields={"TITLE": "Tern", "SITE_ID": 1})
    console.call("landing.landing.addblock", lid=made, fields={"CODE": "forms.form"})
    console.call("landing.landing.publication", lid=made)

    async def send(page: Page) -> None:
        await page.goto(f"{console.base}/demo/tern/")
        await page.get_by_label("Your name").fill("Ann Quay")
        await page.get_by_label("Your mail address").fill("ann+boats@example.org")
        await page.get_by_label("What it is about").fill("The small one")
        await page.get_by_label("I agree").check()
        await page.wait_for_timeout(3500)  # the shortest time that a person takes
        await page.get_by_role("button", name="Send").click()
        await expect(page.get_by_text("Thank you. It has arrived")).to_be_visible()

    async def act(page: Page) -> tuple[str | None, str]:
        await send(page)
        await page.goto(f"{console.base}{CONSOLE}/submissions")
        row = page.get_by_role("row", name="Tern")
        await expect(row.get_by_text("New")).to_be_visible()
        await row.get_by_role("link").click()
        await expect(page.get_by_role("main").get_by_text("New")).to_be_visible()
        await expect(page.get_by_role("main")).to_contain_text("Nobody is mailed")
        mail = page.get_by_role("link", name="ann+boats@example.org")
        address = await mail.get_attribute("href")
        async with page.expect_download() as download:
            await page.get_by_role("link", name="Export as CSV").click()
        await page.goto(f"{console.base}{CONSOLE}/submissions")
        await expect(row).to_be_visible()
        await expect(row.get_by_text("New")).to_be_hidden()
        return address, (await download.value).suggested_filename

    (address, name), _ = console.act(act)

    assert address == "mailto:ann%2Bboats@example.org"
    assert name.startswith("tern-20")
    assert name.endswith(".csv")
