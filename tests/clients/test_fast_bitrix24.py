"""fast_bitrix24, a common Python client: plain HTTP, lower-case names, no suffix.

Without `raw=True` its calls are sent in a `batch`.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
import fast_bitrix24  # type: ignore[import-untyped]  # ships no types
import pytest
from clients.brackets import query
from clients.conftest import EXPIRED_TOKEN, TOKEN, Demo
from clients.story import PROVEN, REFUSALS, REFUSED_BY, Batch, Client, live

BLOCK = 109
TITLE = ".landing-block-node-title"


@pytest.fixture(autouse=True)
def no_loop() -> None:
    """Without an event loop the client runs one of its own, and closes it."""
    asyncio.set_event_loop(None)


def client(address: str, **options: Any) -> Any:
    return fast_bitrix24.Bitrix(address, verbose=False, **options)


def batching(bitrix: Any) -> Batch:
    """Send several calls at once, as the client's users write them; a failure is raised."""

    def batch(commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        written = {key: f"{method}?{query(params)}" for key, (method, params) in commands.items()}
        return bitrix.call_batch({"halt": 1, "cmd": written})

    return batch


def telling(bitrix: Any) -> Client:
    """Call directly; then the client writes the method's name in lower case."""
    return lambda method, **params: bitrix.call(method, params, raw=True)["result"]


@pytest.mark.rule("C2")
def test_C2_lower_case_names_are_answered(demo: Demo) -> None:
    answer = client(demo.hook).call("Landing.Block.GetList", {"lid": 10}, raw=True)

    assert [block["id"] for block in answer["result"]] == list(range(200, 208))


@pytest.mark.rule("methods", "call: path of methods")
def test_7_methods_are_listed(demo: Demo) -> None:
    answer = client(demo.hook).call("methods", {}, raw=True)

    assert "landing.block.updatenodes" in answer["result"]


@pytest.mark.rule("landing.block.getlist lid", "landing.block.getlist params.edit_mode")
def test_4_3_get_all_reads_a_list(demo: Demo) -> None:
    """Without `raw` too: a list that fits into one answer is read by one plain call."""
    params = {"lid": [10, 11], "params": {"edit_mode": True}}

    blocks = client(demo.hook).get_all("landing.block.getlist", params)

    assert [block["id"] for block in blocks] == list(range(100, 116))


@pytest.mark.rule("B1", "landing.block.updatenodes data:text")
def test_4_2_an_edit_is_in_the_draft_alone(demo: Demo) -> None:
    bitrix = client(demo.hook)
    wanted = {"lid": 11, "params": {"get_content": True}}

    edit = {"lid": 11, "block": BLOCK, "data": {TITLE: "Лодки & вёсла"}}
    answer = bitrix.call("landing.block.updatenodes", edit, raw=True)

    assert answer["result"] is True
    wanted["params"] = {"get_content": True, "edit_mode": True}
    draft = bitrix.call("landing.block.getlist", wanted, raw=True)["result"]
    wanted["params"] = {"get_content": True}
    public = bitrix.call("landing.block.getlist", wanted, raw=True)["result"]
    assert "Лодки &amp; вёсла" in next(it["content"] for it in draft if it["id"] == BLOCK)
    assert "Лодки" not in "".join(block["content"] for block in public)


@pytest.mark.rule(*PROVEN, "C2", "call: path of a webhook")
def test_4_a_page_lives_by_a_webhook(demo: Demo) -> None:
    bitrix = client(demo.hook)

    live(telling(bitrix), demo, "fast", batching(bitrix))


@pytest.mark.rule(*PROVEN, "C2", "call: path of a token")
def test_4_a_page_lives_by_a_token(demo: Demo) -> None:
    async def token() -> str:
        return TOKEN

    bitrix = client(f"{demo.http}/rest/", token_func=token)

    live(telling(bitrix), demo, "fast-token", batching(bitrix))


@pytest.mark.rule("landing.block.updatenodes data:text")
def test_4_many_calls_of_a_method_travel_together(demo: Demo) -> None:
    """The client makes a batch from a list of parameters."""
    edits = [
        {"lid": 11, "block": block, "data": {TITLE: f"Edited {block}"}} for block in (110, 111)
    ]

    assert list(client(demo.hook).call("landing.block.updatenodes", edits)) == [True, True]


@pytest.mark.rule("call: error")
@pytest.mark.parametrize(("method", "params", "code"), REFUSALS, ids=REFUSED_BY)
def test_7_a_refusal_is_raised(demo: Demo, method: str, params: dict[str, Any], code: str) -> None:
    """The client does not read the body, and so not the code."""
    with pytest.raises(aiohttp.ClientResponseError) as refusal:
        telling(client(demo.hook))(method, **params)

    assert refusal.value.status == 400, code


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    ("method", "params", "status"),
    [
        ("landing.block.getlist", {"lid": 999}, 400),
        ("landing.block.getlist", {}, 400),
        ("landing.block.nothing", {}, 404),
    ],
)
def test_C13_a_refusal_is_raised_and_not_repeated(
    demo: Demo, method: str, params: dict[str, Any], status: int
) -> None:
    with pytest.raises(aiohttp.ClientResponseError) as refusal:
        client(demo.hook).call(method, params, raw=True)

    assert refusal.value.status == status


@pytest.mark.rule("C13")
def test_C13_a_wrong_webhook_is_401(demo: Demo) -> None:
    bitrix = client(f"{demo.http}/rest/1/no-such-webhook-0123456789/")

    with pytest.raises(aiohttp.ClientResponseError) as refusal:
        bitrix.call("methods", {}, raw=True)

    assert refusal.value.status == 401


@pytest.mark.rule("C13")
def test_C13_an_expired_token_is_renewed_by_the_client(demo: Demo) -> None:
    tokens = [TOKEN, EXPIRED_TOKEN]

    async def next_token() -> str:
        return tokens.pop()

    bitrix = client(f"{demo.http}/rest/", token_func=next_token)
    answer = bitrix.call("landing.block.getlist", {"lid": 12}, raw=True)

    assert tokens == []
    assert [block["lid"] for block in answer["result"]] == [12] * 7
