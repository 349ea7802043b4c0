"""An operator at work in the console, by clicks and keys alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.consoled import Consoled, consoled
from browser.visiting import CHROMIUM, Visitor
from contract.pictures import drawn, encoded
from playwright.async_api import Page, expect


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Consoled]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    visitor = Visitor("http://127.0.0.1")
    with consoled(tmp_path_factory.mktemp("console"), visitor) as console:
        yield console
    visitor.close()


def test_a_picture_is_replaced_wherever_visitors_see_it(console: Consoled, tmp_path: Path) -> None:
    console.call("landing.landing.publication", lid=10)
    (tmp_path / "new.png").write_bytes(encoded(drawn(320, 200)))

    async def act(page: Page) -> str:
        await page.get_by_role("link", name="Library").click()
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

    assert "new.png" in shown
    assert "old.png" not in shown
    assert (visit.violations, visit.foreign, visit.dialogs) == ([], [], [])
