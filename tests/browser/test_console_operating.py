"""An operator at work in the console, by clicks and keys alone."""

import re
from pathlib import Path

import httpx
import pytest
from browser.console_operator import Consoled
from contract.pictures import drawn, encoded
from playwright.async_api import Page, expect

# The right edges of the numbers and of their headings, row by row.
RIGHT_EDGES = """
() => {
  const edge = cell => {
    const text = document.createRange()
    text.selectNodeContents(cell)
    return Math.round(text.getBoundingClientRect().right)
  }
  const rows = [...document.querySelectorAll('#live tr')]
  return rows.map(row => [...row.querySelectorAll('.number')].map(edge))
}
"""


def test_a_picture_is_replaced_wherever_visitors_see_it(console: Consoled, tmp_path: Path) -> None:
    console.call("landing.landing.publication", lid=10)
    (tmp_path / "new.png").write_bytes(encoded(drawn(320, 200)))

    async def act(page: Page) -> str:
        await page.get_by_role("link", name="Library").click()
        # loaded, because the modules bring the actions of buttons
        await page.wait_for_url("**/library")
        await page.get_by_role("button", name="Replace old.png").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("New picture").set_input_files(tmp_path / "new.png")
        await dialog.get_by_label("What it shows").fill("The yard at low water")
        await dialog.get_by_role("button", name="Replace", exact=True).click()
        await expect(page.locator("#told")).to_contain_text("Replaced")
        card = page.get_by_role("listitem").filter(has_text="new.png")
        await expect(card).to_contain_text("Used by Tidewright")
        await expect(card.get_by_label("Text in the place of")).to_have_value(
            "The yard at low water"
        )
        await expect(page.get_by_role("listitem").filter(has_text="old.png")).to_contain_text(
            "Not used"
        )
        await page.goto(f"{console.base}/demo/")
        return await page.content()

    shown, visit = console.act(act)

    (picture,) = re.findall(r"<img[^>]*new\.png[^>]*>", shown)
    assert 'alt="The yard at low water"' in picture  # the page has no text of its own for it
    assert "old.png" not in shown
    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])


def test_the_audit_is_filtered_by_caller_and_failure_and_both_filters_are_removed(
    console: Consoled,
) -> None:
    console.call("landing.landing.update", lid=12, fields={"TITLE": "Visit the yard"})

    async def act(page: Page) -> None:
        await page.goto(f"{console.base}/-/console/audit")
        done = page.get_by_role("row", name="landing.landing.update").first
        failed = page.get_by_label("Only what failed")
        await page.get_by_label("Who").select_option("Demo")
        await page.wait_for_url("**user=1*")
        await expect(done).to_be_visible()
        await failed.check()
        await expect(done).to_have_count(0)
        export = page.get_by_role("link", name="Export as CSV")
        await expect(export).to_have_attribute("href", re.compile(r"user=1&.*failed=1"))
        async with page.expect_response(lambda each: "failed=1" in each.url):
            pass  # renewals keep to the filter
        await expect(done).to_have_count(0)
        await failed.uncheck()
        await expect(done).to_be_visible()
        await page.reload()
        await expect(page.get_by_label("Who")).to_have_value("1")

    console.act(act)


def test_an_operator_finds_failures_and_the_calls_of_a_leaked_webhook(
    console: Consoled,
) -> None:
    """The reason of a failing plugin; one of its methods off and the other on; the webhook
    revoked.
    """

    def ask(hook: str, method: str) -> tuple[int, str]:
        answer = httpx.post(f"{hook}{method}.json", json={}, timeout=60)
        return answer.status_code, answer.json().get("error", "")

    assert [ask(console.hook, "creaking.tide")[0] for _ in range(3)] == [500] * 3
    console.call("landing.landing.update", lid=12, fields={"TITLE": "Bought by the leak"})

    async def act(page: Page) -> tuple[str, str]:
        main = page.get_by_role("main")
        await page.get_by_role("link", name="Plugins").click()
        await expect(page.get_by_role("row", name="broken")).to_contain_text("Failed")
        await page.get_by_role("link", name="broken").click()
        await expect(main).to_contain_text("the spare key is under the mat")
        await page.get_by_role("link", name="Plugins").first.click()
        # Workers write their counts now and then, and the screen reads them.
        await expect(page.get_by_role("row", name="creaking")).to_contain_text("3", timeout=60_000)
        await page.get_by_role("link", name="creaking").click()
        await expect(main).to_contain_text("LookupError: the tide table is for 1987")
        await expect(page.get_by_role("row", name="creaking.moon")).to_contain_text("No calls")
        await page.get_by_role("link", name="Errors").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("tbody tr").first).to_contain_text("creaking.tide")
        await expect(page.locator("tbody .bad")).to_have_text("3")
        await expect(page.get_by_role("link", name="Errors")).to_be_focused()
        await expect(page.get_by_role("columnheader", name="Errors")).to_have_attribute(
            "aria-sort", "descending"
        )
        await page.get_by_role("button", name="Switch off creaking.tide").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("row", name="creaking.tide")).to_contain_text("Off")
        await expect(page.get_by_role("row", name="creaking.moon")).to_contain_text("On")
        await page.get_by_role("link", name="Webhooks and tokens").click()
        await page.get_by_role("button", name="Actions for landyard serve --demo").click()
        await page.get_by_role("button", name="Replace…").click()
        await expect(page.get_by_label("The old one works")).to_contain_text("it has leaked")
        await page.get_by_role("button", name="Replace", exact=True).click()
        await page.locator("#secret").wait_for()
        address = await page.locator("#secret").input_value()
        await page.get_by_role("button", name="Close").click()
        rows = page.get_by_role("row", name="landyard serve --demo")
        await expect(rows).to_have_count(2)  # the list was read again
        await rows.filter(has_text="webhook:1 ").get_by_role("button").first.click()
        await page.locator(".menu-list:popover-open").get_by_text("What it has done").click()
        await expect(page.get_by_label("Credential")).to_have_value("webhook:1")
        return address, await page.locator("#live tbody").inner_text()

    (address, audit), visit = console.act(act)

    assert re.fullmatch(rf"{console.base}/rest/1/lyw_[\w-]+/", address)
    assert ask(console.hook, "creaking.moon")[0] == 401
    assert ask(address, "creaking.moon") == (200, "")
    assert ask(address, "creaking.tide") == (404, "ERROR_METHOD_NOT_FOUND")
    assert "landing.landing.update" in audit
    assert "page:12" in audit
    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])


@pytest.mark.parametrize(("width", "language"), [(1280, "en"), (390, "en"), (390, "ar")])
def test_numbers_of_methods_are_aligned_with_each_other_and_with_their_headings(
    console: Consoled, width: int, language: str
) -> None:
    for method in ("creaking.moon", "creaking.tide"):
        httpx.post(f"{console.hook}{method}.json", json={}, timeout=60)

    async def act(page: Page) -> list[list[float]]:
        await page.evaluate(f"document.cookie = 'landyard_language={language}; Path=/-/console'")
        await page.goto(f"{console.base}/-/console/plugins/creaking")
        numbers = page.locator("tbody tr td.number:not(.uncalled)")
        await expect(numbers).to_have_count(6, timeout=60_000)
        assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        return list(await page.evaluate(RIGHT_EDGES))

    (head, *rows), _ = console.act(act, width=width)

    assert len(head) == 3
    assert rows == [head, head]
