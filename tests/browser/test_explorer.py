"""The API explorer: a person pastes a webhook and calls a method, with nothing but this service.

Opening the page takes seconds, so one visit serves several tests.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from browser.conftest import Demo
from browser.exploring import ADDRESS, Person, Shown, explore, few
from browser.visiting import MEASURE, Visitor
from browser.visits import Visit
from corpora import read_data
from msgspec import Struct

GETLIST = "landing.block.getlist"
SIZES = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]
STORED = """async () => ({
  local: localStorage.length, session: sessionStorage.length, cookies: document.cookie,
  databases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
  state: JSON.stringify(history.state), name: window.name
})"""
NOTHING = {
    "local": 0, "session": 0, "cookies": "", "databases": 0, "caches": 0, "state": "null",
    "name": "",
}  # fmt: skip
ELSEWHERE = read_data(__file__, "ELSEWHERE", list[str])
HOSTILE = '<img src=/none onerror=ran(1)><script>ran(2)</script><a href="javascript:ran(3)">go</a>'

NEST = {"$ref": "#/components/schemas/Nest"}
ENDLESS = {
    "Nest": {"title": "Nest", "type": "array", "items": NEST},
    "MethodsParams": {
        "type": "object",
        "properties": {"one": {"$ref": "#/components/schemas/MethodsParams"}, "many": NEST},
    },
}


class Session(Struct, frozen=True):
    """The results of one visit; `left` is all data in which a webhook could have been left
    behind.
    """

    called: Shown
    refused: Shown
    broken: Shown
    told: str
    whole: str
    stored: list[object]
    left: str
    asked: list[str]
    asks_again: bool
    visit: Visit


@pytest.fixture(scope="module")
def session(demo: Demo, visitor: Visitor) -> Session:
    """Paste the webhook, call a method three times, and load the page again."""

    async def act(person: Person) -> dict[str, Any]:
        page = person.page
        await person.paste(demo.hook)
        stored = [await page.evaluate(STORED)]
        block = await person.open(GETLIST)
        text, whole = await block.locator(".parameters").inner_text(), await block.inner_text()
        called = await person.call(block, '{"lid": 10}')
        refused = await person.call(block, '{"lid": 999}')
        broken = await person.call(block, '{"lid": ')
        field = page.get_by_label("Webhook address")
        left = [await page.content(), await field.input_value(), page.url]
        stored.append(await page.evaluate(STORED))
        cookies = await page.context.cookies()
        await page.reload()
        await person.come()
        return {
            "called": called, "refused": refused, "broken": broken, "told": text, "whole": whole,
            "stored": stored, "left": "".join([*left, str(cookies)]), "asked": person.asked,
            "asks_again": await field.is_visible(),
        }  # fmt: skip

    given, visit = explore(visitor, demo.base, act)
    return Session(**given, visit=visit)


def test_a_method_is_called(demo: Demo, session: Session) -> None:
    assert session.called.status == 200
    assert session.called.body["result"] == demo.call(GETLIST, lid=10)["result"]
    assert len(session.called.body["result"]) > 0


def test_a_refusal_is_shown_with_its_code(session: Session) -> None:
    assert (session.refused.status, session.refused.body["error"]) == (400, "LANDING_NOT_EXIST")


def test_the_written_body_is_sent_unchanged(session: Session) -> None:
    """Also where it is no JSON: the service reports that."""
    assert (session.broken.status, session.broken.body["error"]) == (400, "INVALID_REQUEST")


def test_a_method_is_described_completely(demo: Demo, session: Session) -> None:
    """Its parameters, its requirements, and every code it may answer."""
    document = httpx.get(f"{demo.base}/openapi.json").json()
    facts = document["paths"][f"/{GETLIST}.json"]["post"]["x-landyard"]
    codes = {
        code
        for name, schema in document["components"]["schemas"].items()
        if name.startswith(("Refused", "LandingBlockGetlistRefused"))
        for code in schema["properties"]["error"]["enum"]
    }

    assert {"lid", "needed", "params.edit_mode", "start"} <= {*session.told.split()}
    assert [facts[what] for what in ("scope", "right") if facts[what] not in session.whole] == []
    assert len(codes) > 10
    assert [code for code in codes if code not in session.whole] == []
    assert "`" not in session.told  # it is shown as code


def test_a_webhook_is_stored_nowhere(demo: Demo, session: Session) -> None:
    assert session.stored == [NOTHING, NOTHING]
    assert _code(demo) not in session.left + "".join(session.visit.went)
    assert session.asks_again


def test_a_webhook_is_sent_only_with_calls(demo: Demo, session: Session) -> None:
    with_it = [url for url in session.asked if _code(demo) in url]

    assert with_it == [f"{demo.hook}{GETLIST}.json"] * 3
    assert session.visit.foreign == []


def test_a_text_that_is_no_webhook_of_this_service_is_refused(demo: Demo, visitor: Visitor) -> None:
    async def act(person: Person) -> list[tuple[str, bool]]:
        block = await person.open("methods")
        seen = []
        for address in ELSEWHERE:
            await person.paste(address.format(base=demo.base))
            refusal = await person.page.get_by_role("alert").inner_text()
            await block.get_by_role("button", name="Execute").click()
            seen.append((refusal, await person.sees("#webhook:focus")))
        assert not any("/rest/" in url for url in person.asked)
        return seen

    seen, visit = explore(visitor, demo.base, act, few(demo.base))

    assert [focused for refusal, focused in seen if refusal] == [True] * len(ELSEWHERE)
    assert (visit.foreign, visit.dialogs) == ([], [])


def test_a_forgotten_webhook_is_not_used(demo: Demo, visitor: Visitor) -> None:
    async def act(person: Person) -> list[str]:
        await person.paste(demo.hook)
        await person.page.get_by_role("button", name="Forget it").click()
        block = await person.open("methods")
        await block.get_by_role("button", name="Execute").click()
        await person.paste(demo.hook)
        await person.call(block, "{}")
        return [url for url in person.asked if "/rest/" in url]

    called, _ = explore(visitor, demo.base, act, few(demo.base))

    assert called == [f"{demo.hook}methods.json"]


def test_the_explorer_is_usable_by_keyboard_alone(demo: Demo, visitor: Visitor) -> None:
    """A method is found by a part of its name, unfolded, and called."""

    async def act(person: Person) -> tuple[list[str], Shown]:
        keys = person.page.keyboard
        await person.tab_to("#webhook")
        await keys.insert_text(demo.hook)
        await keys.press("Enter")
        await person.tab_to("#find")
        await keys.insert_text("ck.getLI")
        await person.page.locator(".opblock").nth(1).wait_for(state="detached")
        found = await person.page.locator(".opblock .name").all_inner_texts()
        await person.tab_to(".opblock-summary-control")
        await keys.press("Enter")
        await person.page.locator("textarea").wait_for()
        await person.tab_to("textarea")
        await keys.press("Control+A")
        await keys.insert_text('{"lid": 10}')
        await person.tab_to("button.execute")
        await keys.press("Enter")
        return found, await person.answer(person.page.locator(".opblock"))

    (found, shown), _ = explore(visitor, demo.base, act)

    assert found == [GETLIST]
    assert shown.status == 200


def test_the_explorer_is_complete_under_its_policy(
    demo: Demo, visitor: Visitor, tmp_path: Path
) -> None:
    """Nothing is refused, loaded from elsewhere or wider than the screen; light and dark."""

    async def act(person: Person) -> list[dict[str, Any]]:
        await person.paste(demo.hook)
        await person.call(await person.open(GETLIST), '{"lid": 10}')
        pages = []
        for width, scheme in SIZES:
            await person.page.set_viewport_size({"width": width, "height": 844})
            await person.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            pages.append(await person.page.evaluate(MEASURE))
            shot = tmp_path / f"explorer-{width}-{scheme}.png"
            await person.page.screenshot(path=shot, full_page=True)
        return pages

    pages, visit = explore(visitor, demo.base, act)

    assert (visit.complaints, visit.violations, visit.failed, visit.foreign) == ([], [], [], [])
    assert [(page["headings"], page["overflow"]) for page in pages] == [(1, 0)] * len(SIZES)
    colours = [page["background"] for page in pages]
    assert colours[0] == colours[2] != colours[1] == colours[3]


def test_a_hostile_document_and_answer_run_nothing(demo: Demo, visitor: Visitor) -> None:
    """Descriptions of plugins are rendered as Markdown; answers are shown as plain text."""
    document = few(demo.base)
    operation = document["paths"]["/methods.json"]["post"]
    operation["description"] = operation["summary"] = f"Hostile.\n\n{HOSTILE}"
    operation["responses"]["200"]["description"] = document["info"]["title"] = HOSTILE
    document["components"]["schemas"] |= ENDLESS

    async def act(person: Person) -> str:
        page = person.page
        await page.route("**/rest/**", lambda route: route.fulfill(json={"result": HOSTILE}))
        await person.paste(demo.hook)
        block = await person.open("methods")
        await person.call(block, "{}")
        for link in await block.get_by_role("link", name="go").all():
            await link.click()
        return await block.inner_text()

    text, visit = explore(visitor, demo.base, act, document)

    assert "Hostile." in text
    assert "many\nlist of Nest" in text.replace("\t", "\n")
    assert HOSTILE in text.replace('\\"', '"')
    assert (visit.ran, visit.dialogs) == ([], [])


def test_a_file_is_chosen_and_sent_and_an_answered_one_can_be_saved(
    demo: Demo, visitor: Visitor
) -> None:
    document = few(demo.base)
    operation = document["paths"]["/methods.json"]["post"]
    binary = {"type": "string", "format": "binary"}
    form = {"type": "object", "properties": {"photo": binary}}
    operation["requestBody"]["content"] = {"multipart/form-data": {"schema": form}}
    operation["responses"]["200"]["content"] = {"text/csv": {"schema": binary}}
    head = {"content-type": "text/csv", "content-disposition": 'attachment; filename="f.csv"'}

    async def act(person: Person) -> tuple[str, str]:
        page, sent = person.page, []

        async def answer(route: Any) -> None:
            sent.append(route.request)
            await route.fulfill(body="a;b", headers=head)

        await page.route("**/rest/**", answer)
        await person.paste(demo.hook)
        block = page.locator(".opblock", has=page.get_by_text("methods", exact=True))
        await block.locator(".opblock-summary-control").click()
        chosen: Any = {"name": "a.png", "mimeType": "image/png", "buffer": b"1234"}
        await block.locator("input[type=file]").set_input_files(chosen)
        await block.get_by_role("button", name="Execute").click()
        await block.get_by_text("Download file").wait_for()
        content = sent[0].headers["content-type"]
        return content, sent[0].post_data or ""

    (content, body), _ = explore(visitor, demo.base, act, document)

    assert content.startswith("multipart/form-data; boundary=")
    assert 'name="photo"; filename="a.png"' in body


def test_the_page_cannot_be_framed_and_sends_no_referrer(demo: Demo) -> None:
    headers = httpx.get(demo.base + ADDRESS).headers

    policy = headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= {*policy}
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"


def _code(demo: Demo) -> str:
    return urlsplit(demo.hook).path.split("/")[3]
