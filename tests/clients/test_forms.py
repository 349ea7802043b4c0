"""PHP applications: forms as `http_build_query` writes them, and queries for reading."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
import pytest
from clients.brackets import Fields, fields
from clients.conftest import EXPIRED_TOKEN, TOKEN, Demo
from clients.story import PROVEN, REFUSALS, REFUSED_BY, Client, live

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TITLE = ".landing-block-node-title"
BUTTON = ".landing-block-node-button"
READ_DRAFT = [("params[edit_mode]", "1"), ("params[get_content]", "1")]
READING = ("landing.block.getlist", "landing.landing.getpublicurl", "methods")


def urlencoded(address: str, fields: Fields) -> httpx.Response:
    return httpx.post(address, content=urlencode(fields), headers=FORM)


def multipart(address: str, fields: Fields) -> httpx.Response:
    return httpx.post(address, files=[(name, (None, value)) for name, value in fields])


def query(address: str, fields: Fields) -> httpx.Response:
    return httpx.get(f"{address}?{urlencode(fields)}")


Send = Callable[[str, Fields], httpx.Response]


@pytest.mark.rule(*PROVEN, "C3", "C6", "call: path of a webhook")
@pytest.mark.parametrize(
    ("write", "read"), [(urlencoded, query), (multipart, query), (query, urlencoded)]
)
def test_4_a_page_lives(demo: Demo, write: Send, read: Send) -> None:
    name = f"{write.__name__}-{read.__name__}"

    live(_telling(demo.hook, write, read), demo, name)


@pytest.mark.rule(*PROVEN, "C3", "C15", "call: path of a token")
def test_4_a_page_lives_by_a_token(demo: Demo) -> None:
    """The token is another field, of a query too."""

    def signed(send: Send) -> Send:
        return lambda address, fields: send(address, [("auth", TOKEN), *fields])

    live(_telling(f"{demo.http}/rest/", signed(multipart), signed(query)), demo, "token")


@pytest.mark.rule("C3", "call: error", *(f"{method} {code}" for method, _, code in REFUSALS))
@pytest.mark.parametrize("send", [urlencoded, multipart, query])
@pytest.mark.parametrize(("method", "params", "code"), REFUSALS, ids=REFUSED_BY)
def test_7_a_refusal_of_each_method(
    demo: Demo, method: str, params: dict[str, Any], code: str, send: Send
) -> None:
    assert _came(send(demo.hook + method, fields(params))) == (400, code)


@pytest.mark.rule("C3")
def test_C3_nested_brackets_reach_the_block(demo: Demo) -> None:
    answer = _post(
        f"{demo.hook}landing.block.updatenodes/?bx24_request_id=4f1c",
        [
            ("lid", "11"),
            ("block", "114"),
            (f"data[{TITLE}@0]", "Ask & see + more"),
            (f"data[{BUTTON}][href]", "/demo/visit/"),
            (f"data[{BUTTON}][query]", "from=php&n=1"),
            ("preventHistory", "0"),
        ],
    )

    assert answer == (200, True)
    listed = _post(f"{demo.hook}landing.block.getlist/", [("lid", "11"), *READ_DRAFT])
    content = next(block["content"] for block in listed[1] if block["id"] == 114)
    assert ">Ask &amp; see + more<" in content
    assert 'href="/demo/visit/?from=php&amp;n=1"' in content


@pytest.mark.rule("C3")
@pytest.mark.parametrize(
    "lids", [[("lid[]", "12"), ("lid[]", "11")], [("lid[0]", "12"), ("lid[1]", "11")]]
)
def test_C3_lists_keep_their_order(demo: Demo, lids: Fields) -> None:
    _, blocks = _post(f"{demo.hook}landing.block.getlist.json", [*lids, ("params[edit_mode]", "1")])

    assert [block["lid"] for block in blocks] == [12] * 7 + [11] * 8


@pytest.mark.rule("C15", "call: path of a token")
def test_C15_the_token_may_be_a_field_of_the_form(demo: Demo) -> None:
    status, blocks = _post(
        f"{demo.http}/rest/landing.block.getlist", [("auth", TOKEN), ("lid", "10")]
    )

    assert (status, len(blocks)) == (200, 8)


@pytest.mark.rule("call: error")
@pytest.mark.parametrize(
    ("address", "fields", "refusal"),
    [
        ("landing.block.getlist/", [("lid[a][b]", "1")], (400, "TYPE_ERROR")),
        ("landing.block.updatenodes/", [("lid", "10")], (400, "MISSING_PARAMS")),
        ("landing.block.getlist/", [("lid", "999")], (400, "LANDING_NOT_EXIST")),
        ("landing.block.nothing/", [], (404, "ERROR_METHOD_NOT_FOUND")),
    ],
)
def test_7_a_refusal_is_json(
    demo: Demo, address: str, fields: Fields, refusal: tuple[int, str]
) -> None:
    assert _post(demo.hook + address, fields) == refusal


@pytest.mark.rule("C13")
def test_C13_an_expired_token_in_a_form(demo: Demo) -> None:
    fields = [("auth", EXPIRED_TOKEN), ("lid", "10")]

    assert _post(f"{demo.http}/rest/landing.block.getlist", fields) == (401, "expired_token")


def _telling(address: str, write: Send, read: Send) -> Client:
    def call(method: str, **params: Any) -> Any:
        send = read if method in READING else write
        status, result = _came(send(address + method, fields(params)))
        assert status == 200, result
        return result

    return call


def _post(address: str, fields: Fields) -> tuple[int, Any]:
    return _came(urlencoded(address, fields))


def _came(answer: httpx.Response) -> tuple[int, Any]:
    """The status, and the result or the error's code."""
    body = msgspec.json.decode(answer.content)
    return answer.status_code, body.get("result", body.get("error"))
