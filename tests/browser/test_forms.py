"""A form as visitors fill it in, with scripts and without: seen, sent, thanked for, kept."""

from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor
from playwright.async_api import Page

HOSTILE = "<img src=x onerror=alert(1)> =1+1 \"'</textarea><script>alert(2)</script>"
PATH = "/quay/write/"
THANKS = "Thank you. It has arrived"


@pytest.fixture(scope="module")
def page_id(demo: Demo) -> int:
    """Make a site whose page has a form, at `PATH`."""

    def call(method: str, **params: Any) -> Any:
        answer = demo.call(f"landing.{method}", **params)
        assert "error" not in answer, answer
        return answer["result"]

    site = call("site.add", fields={"TITLE": "Quay", "CODE": "quay"})
    page: int = call(
        "landing.add", fields={"TITLE": "Write to us", "SITE_ID": site, "CODE": "write"}
    )
    call("landing.addblock", lid=page, fields={"CODE": "forms.form"})
    call("landing.publication", lid=page)
    return page


async def fill(page: Page, message: str) -> None:
    await page.get_by_label("Your name").fill("Ann Quay")
    await page.get_by_label("Your mail address").fill("ann@example.org")
    await page.get_by_label("What it is about").fill(message)
    await page.get_by_label("I agree").check()


def sent(demo: Demo, page_id: int) -> list[str]:
    """What was kept of the messages."""
    rows = demo.call("landyard.form.submissions", lid=page_id)["result"]
    return [each["value"] for row in rows for each in row["answers"] if each["name"] == "message"]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_form_is_filled_in_and_sent(
    demo: Demo, visitor: Visitor, tmp_path: Path, page_id: int, width: int
) -> None:
    """On the narrow screen without scripts."""
    message = f"May we see the boat? At {width} pixels. {HOSTILE}"

    async def act(page: Page) -> None:
        await page.goto(demo.base + PATH)
        await page.screenshot(path=tmp_path / f"form-{width}.png", full_page=True)
        await fill(page, message)
        await page.wait_for_timeout(3500)  # as long as a person takes at least
        await page.get_by_role("button", name="Send").click()
        await page.get_by_text(THANKS).wait_for()
        await page.screenshot(path=tmp_path / f"thanks-{width}.png", full_page=True)

    _, visit = visitor.act(act, width=width, scripts=width > 600)

    assert message in sent(demo, page_id)
    # The browser gives up fading from one page into the next where it was sent on.
    complaints = [each for each in visit.complaints if "Transition was" not in each]
    assert (complaints, visit.violations, visit.foreign) == ([], [], [])


def test_who_is_quicker_than_a_person_is_asked_once_more(
    demo: Demo, visitor: Visitor, tmp_path: Path, page_id: int
) -> None:
    message = f"In a hurry. {HOSTILE}"

    async def act(page: Page) -> None:
        await page.goto(demo.base + PATH)
        await fill(page, message)
        await page.get_by_role("button", name="Send").click()
        await page.get_by_text("look at it once more").wait_for()
        await page.screenshot(path=tmp_path / "again.png", full_page=True)
        assert await page.get_by_label("What it is about").input_value() == message
        await page.wait_for_timeout(1200)
        await page.get_by_role("button", name="Send").click()
        await page.get_by_text(THANKS).wait_for()

    _, visit = visitor.act(act)

    assert sent(demo, page_id).count(message) == 1
    assert (visit.violations, visit.foreign) == ([], [])
