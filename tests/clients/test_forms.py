"""What PHP applications send: forms as `http_build_query` writes them."""

from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
import pytest
from clients.conftest import EXPIRED_TOKEN, TOKEN, Demo

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TITLE = ".landing-block-node-title"
BUTTON = ".landing-block-node-button"
READ_DRAFT = [("params[edit_mode]", "1"), ("params[get_content]", "1")]


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


@pytest.mark.parametrize(
    "lids", [[("lid[]", "12"), ("lid[]", "11")], [("lid[0]", "12"), ("lid[1]", "11")]]
)
def test_C3_lists_keep_their_order(demo: Demo, lids: list[tuple[str, str]]) -> None:
    _, blocks = _post(f"{demo.hook}landing.block.getlist.json", [*lids, ("params[edit_mode]", "1")])

    assert [block["lid"] for block in blocks] == [12] * 7 + [11] * 8


def test_C15_the_token_may_be_a_field_of_the_form(demo: Demo) -> None:
    status, blocks = _post(
        f"{demo.http}/rest/landing.block.getlist", [("auth", TOKEN), ("lid", "10")]
    )

    assert (status, len(blocks)) == (200, 8)


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
    demo: Demo, address: str, fields: list[tuple[str, str]], refusal: tuple[int, str]
) -> None:
    assert _post(demo.hook + address, fields) == refusal


def test_C13_an_expired_token_in_a_form(demo: Demo) -> None:
    fields = [("auth", EXPIRED_TOKEN), ("lid", "10")]

    assert _post(f"{demo.http}/rest/landing.block.getlist", fields) == (401, "expired_token")


def _post(address: str, fields: list[tuple[str, str]]) -> tuple[int, Any]:
    """Post a form; the status, and the result or the error's code."""
    answer = httpx.post(address, content=urlencode(fields), headers=FORM)
    body = msgspec.json.decode(answer.content)
    return answer.status_code, body.get("result", body.get("error"))
