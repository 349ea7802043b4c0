"""A form as visitors fill it in, with and without scripts: shown, sent, thanked for, stored."""

from base64 import b64decode
from pathlib import Path

import pytest
from browser.axe import examine
from browser.conftest import Demo
from browser.validity import errors_of
from browser.visiting import Visitor
from contract.pictures import drawn, encoded
from kernel.supervised import until
from playwright.async_api import FilePayload, Page, Response, expect
from plugins.forms.mailbox import Server

from landyard_forms.refusals import Refusals
from landyard_forms.words import words_of

HOSTILE = "<img src=x onerror=alert(1)> =1+1 \"'</textarea><script>alert(2)</script>"
PATH = "/quay/write/"
ARABIC = "/marsa/uktub/"
PICTURE = encoded(drawn(8, 8))
THANKS = "Thank you. It has arrived"


@pytest.fixture(scope="module")
def page_id(demo: Demo) -> int:
    """Make a site whose page has a form, at `PATH`."""
    call = demo.result

    site = call("site.add", fields={"TITLE": "Quay", "CODE": "quay"})
    page: int = call(
        "landing.add", fields={"TITLE": "Write to us", "SITE_ID": site, "CODE": "write"}
    )
    call("landing.addblock", lid=page, fields={"CODE": "forms.form"})
    call("landing.publication", lid=page)
    return page


@pytest.fixture(scope="module")
def arabic(demo: Demo) -> int:
    """Make an Arabic page whose form asks for a choice and a picture, at `ARABIC`."""
    call = demo.result

    site = call("site.add", fields={"TITLE": "المرسى", "CODE": "marsa", "LANG": "ar"})
    page: int = call("landing.add", fields={"TITLE": "اكتب لنا", "SITE_ID": site, "CODE": "uktub"})
    block = call("landing.addblock", lid=page, fields={"CODE": "forms.form"})
    choice = {"data-type": "choice", "data-name": "boat", "data-options": "قارب;مركب"}
    picture = {"data-type": "file", "data-name": "photo", "data-options": "png;pdf"}
    cards = {".landing-block-card@0": choice, ".landing-block-card@2": picture}
    call("block.updateattrs", lid=page, block=block, data=cards)
    call("landing.publication", lid=page)
    return page


async def fill(page: Page, message: str) -> None:
    await page.get_by_label("Your name").fill("Ann Quay")
    await page.get_by_label("Your mail address").fill("ann@example.org")
    await page.get_by_label("What it is about").fill(message)
    await page.get_by_label("I agree").check()


def sent(demo: Demo, page_id: int) -> list[str]:
    """The stored messages."""
    rows = demo.call("landyard.form.submissions", lid=page_id)["result"]
    return [each["value"] for row in rows for each in row["answers"] if each["name"] == "message"]


def mailed(mailbox: Server, message: str) -> list[str]:
    """The subjects of mails that contain the message, each with its reply address."""
    return [
        f"{mail['subject']}: {mail['reply-to']}"
        for _, mail in list(mailbox.mails)
        if message in mail.get_content()  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_form_is_filled_in_sent_and_mailed(  # noqa: PLR0917 - all that takes part
    demo: Demo, visitor: Visitor, mailbox: Server, tmp_path: Path, page_id: int, width: int
) -> None:
    """On the narrow screen without scripts."""
    message = f"May we see the boat? At {width} pixels. {HOSTILE}"

    async def act(page: Page) -> None:
        await page.goto(demo.base + PATH)
        await page.screenshot(path=tmp_path / f"form-{width}.png", full_page=True)
        await fill(page, message)
        await page.wait_for_timeout(3500)  # the shortest time that a person takes
        await page.get_by_role("button", name="Send").click()
        await page.get_by_text(THANKS).wait_for()
        await page.screenshot(path=tmp_path / f"thanks-{width}.png", full_page=True)

    _, visit = visitor.act(act, width=width, scripts=width > 600)

    assert message in sent(demo, page_id)
    until(lambda: mailed(mailbox, message) != [])
    assert mailed(mailbox, message) == ["Form on Write to us: ann@example.org"]
    # The browser stops the transition between pages after a redirect.
    complaints = [each for each in visit.complaints if "Transition was" not in each]
    assert (complaints, visit.violations, visit.foreign) == ([], [], [])


def test_a_sender_quicker_than_a_person_is_asked_once_more(
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


@pytest.mark.usefixtures("page_id")
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.soak), 390])
def test_H4_a_form_is_accessible_and_valid_in_each_state(
    demo: Demo, visitor: Visitor, width: int
) -> None:
    """Empty, refused, asked once more, and thanked for."""
    served = dict[str, str]()

    async def act(page: Page) -> list[str]:
        findings = list[str]()

        async def look(name: str, answer: Response | None) -> None:
            assert answer is not None
            served[name] = await answer.text()
            findings.extend(await examine(page, name))

        async def send(name: str) -> None:
            async with page.expect_navigation() as going:
                await page.get_by_role("button", name="Send").click()
            await look(name, await going.value)

        await look("empty", await page.goto(demo.base + PATH))
        await page.evaluate("document.querySelector('.forms-form').noValidate = true")
        await send("refused")
        await fill(page, f"A boat, please, of {width}")
        await page.wait_for_timeout(1200)
        await send("thanks")
        await page.context.clear_cookies()
        await page.goto(demo.base + PATH)
        await fill(page, f"One more, of {width}")
        await send("once more")
        return findings

    findings, _ = visitor.act(act, width=width)

    assert ['role="alert"' in html for html in served.values()] == [False, True, False, True]
    refusals = Refusals()
    refusals.note("192.0.2.1", 0, 1, "ar")
    served["stopped"] = refusals.page_for("192.0.2.1", 0, 1)
    assert errors_of(served) + findings == []


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.soak), 390])
def test_H4_a_file_is_sent_from_a_right_to_left_page(
    demo: Demo, visitor: Visitor, tmp_path: Path, arabic: int, width: int
) -> None:
    words, served = words_of("ar"), dict[str, str]()
    file: FilePayload = {
        "name": f"qarib-{width}.png", "mimeType": "image/png", "buffer": PICTURE
    }  # fmt: skip

    async def act(page: Page) -> list[str]:
        answer = await page.goto(demo.base + ARABIC)
        assert answer is not None
        served["file"] = await answer.text()
        findings = await examine(page, "file")
        await page.screenshot(path=tmp_path / f"file-{width}.png", full_page=True)
        await page.locator("select").select_option("قارب")
        await page.locator("input[type=email]").fill("ann@example.org")
        await page.locator("input[type=checkbox]").check()
        for wait in (0, 1200):  # twice, because the first was too quick; the file is chosen again
            await page.locator("input[type=file]").set_input_files(files=[file])
            await page.wait_for_timeout(wait)
            async with page.expect_navigation() as going:
                await page.locator(".forms-form button").click()
            answer = await going.value
            served[f"sent after {wait}"] = await answer.text()
            findings += await examine(page, f"sent after {wait}")
            await page.screenshot(path=tmp_path / f"file-{width}-{wait}.png", full_page=True)
        return findings

    findings, visit = visitor.act(act, width=width)

    assert errors_of(served) + findings == []
    assert (visit.violations, visit.foreign) == ([], [])
    assert words.once_more in served["sent after 0"]
    assert words.file_again in served["sent after 0"]
    rows = demo.call("landyard.form.submissions", lid=arabic)["result"]
    named = {each["value"]: row["id"] for row in rows for each in row["answers"]}
    kept = demo.call("landyard.form.file", lid=arabic, id=named[file["name"]], name="photo")
    assert b64decode(kept["result"]["content"]) == PICTURE


@pytest.fixture(scope="module")
def long_page(demo: Demo) -> str:
    """Make a page with forms below the fold, one with an anchor of its own; return its path."""
    call = demo.result

    site = call("site.add", fields={"TITLE": "Loft", "CODE": "loft"})
    page: int = call("landing.add", fields={"TITLE": "Loft", "SITE_ID": site, "CODE": "all"})
    call("landing.addblock", lid=page, fields={"CODE": "ly.menu"})
    for anchor in ("", "write"):
        for _ in range(2):
            call("landing.addblock", lid=page, fields={"CODE": "ly.team"})
        block = call("landing.addblock", lid=page, fields={"CODE": "forms.form"})
        if anchor:
            call("block.changeAnchor", lid=page, block=block, data=anchor)
    call("landing.addblock", lid=page, fields={"CODE": "ly.team"})
    call("landing.publication", lid=page)
    return "/loft/all/"


@pytest.mark.parametrize("at", [0, 1], ids=["no anchor", "an anchor of its own"])
@pytest.mark.parametrize(("width", "scripts"), [(1280, True), (390, False)])
def test_the_answer_to_a_form_is_visible_and_has_the_focus(  # noqa: PLR0917 - a row
    demo: Demo, visitor: Visitor, tmp_path: Path, long_page: str, at: int, width: int, scripts: bool
) -> None:
    async def act(page: Page) -> None:
        form = page.locator(".forms-form").nth(at)
        await page.goto(demo.base + long_page)
        await form.evaluate("form => { form.noValidate = true }")
        await form.get_by_label("Your name").fill("Ann")
        await form.get_by_role("button").click()
        notice = page.get_by_role("alert")
        await notice.wait_for()
        await expect(notice).to_be_focused()
        await expect(notice).to_be_in_viewport(ratio=1)
        await page.screenshot(path=tmp_path / f"refused-{width}-{at}.png")
        await form.get_by_label("Your mail address").fill("ann@example.org")
        await form.get_by_label("What it is about").fill(f"A long letter, {width}, {at}, {scripts}")
        await form.get_by_label("I agree").check()
        await page.wait_for_timeout(1200)
        await form.get_by_role("button").click()
        thanks = page.get_by_role("status")
        await thanks.wait_for()
        await expect(thanks).to_be_in_viewport(ratio=1)
        await expect(thanks).to_be_focused()
        await page.screenshot(path=tmp_path / f"thanks-{width}-{at}.png")

    visitor.act(act, width=width, scripts=scripts)
