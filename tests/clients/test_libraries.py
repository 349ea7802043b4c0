"""Further Python clients; each only gets our address in place of the platform's."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from a24wh import request24
from aiobitrix24 import BatchQuery, bx24
from bitrix24_client import Bitrix24Client, Bitrix24HTTPError
from bitrix24_client.response_formatters import DefaultResponseFormatter
from clients.brackets import fields
from clients.conftest import WEBHOOK, Demo
from clients.story import PROVEN, REFUSALS, Batch, Client, live
from pybitrix import PyBitrix
from pybitrix24 import Bitrix24

Teller = tuple[Client, Batch | None]


class Refused(Exception):
    """A call failed with the code that is the argument."""


class Whole(DefaultResponseFormatter):  # type: ignore[misc]  # the base is untyped
    """Replaces the client's formatter of results: the whole answer, not an object's first value."""

    def format(self, data: dict[str, Any], fetch_all: bool) -> tuple[Any, None, None]:
        return data["result"], None, None


def tell_by_a24wh(demo: Demo) -> Teller:
    def call(method: str, **params: Any) -> Any:
        return _result(request24(method, params, demo.hook))

    return call, None


def tell_by_aiobitrix24(demo: Demo) -> Teller:
    bx24.url(demo.hook)
    bx24.timeout(0)  # otherwise it waits three seconds between requests

    def call(method: str, **params: Any) -> Any:
        return _result(asyncio.run(bx24.request(method, params)).json())

    def batch(commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        queries = [BatchQuery(key, *command) for key, command in commands.items()]
        return _result(asyncio.run(bx24.batch_request(queries)).json())["result"]

    return call, batch


def tell_by_bitrix24_api_client(demo: Demo) -> Teller:
    def call(method: str, **params: Any) -> Any:
        with Bitrix24Client(demo.http, WEBHOOK, 1, response_formatter=Whole()) as bitrix:
            try:
                return bitrix.call_method(method, params)
            except Bitrix24HTTPError as refusal:
                return _result(json.loads(refusal.response_text))

    return call, None


def tell_by_pybitrix(demo: Demo) -> Teller:
    bitrix = PyBitrix(inbound_hook=demo.hook.rstrip("/"))

    def call(method: str, **params: Any) -> Any:
        return _result(bitrix.call(method, params))

    def batch(commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        methods = {key: method for key, (method, _) in commands.items()}
        params = {
            key: [f"{name}={quote(value)}" for name, value in fields(params)]
            for key, (_, params) in commands.items()
        }
        return _result(bitrix.callBatch(methods, params))["result"]

    return call, batch


def tell_by_pybitrix24(demo: Demo) -> Teller:
    bitrix = Bitrix24(demo.https, user_id=1)

    def call(method: str, **params: Any) -> Any:
        return _result(bitrix.call_webhook(WEBHOOK, method, params))

    def batch(commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        return _result(bitrix.call_batch_webhook(WEBHOOK, commands))["result"]

    return call, batch


TELLERS = [
    tell_by_a24wh,
    tell_by_aiobitrix24,
    tell_by_bitrix24_api_client,
    tell_by_pybitrix,
    tell_by_pybitrix24,
]
each_library = pytest.mark.parametrize(
    "tell", TELLERS, ids=[tell.__name__.removeprefix("tell_by_") for tell in TELLERS]
)


@pytest.fixture(autouse=True)
def trusted(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    """One client requires HTTPS and trusts the certificates of the system."""
    monkeypatch.setenv("SSL_CERT_FILE", str(demo.authority))


@pytest.mark.rule(*PROVEN, "call: path of a webhook")
@each_library
def test_4_a_page_lives(demo: Demo, tell: Any) -> None:
    call, batch = tell(demo)

    live(call, demo, tell.__name__.replace("_", "-"), batch)


@pytest.mark.rule("call: error", *(f"{method} {code}" for method, _, code in REFUSALS))
@each_library
def test_7_refusals_are_reported_with_their_codes(demo: Demo, tell: Any) -> None:
    call, _ = tell(demo)

    def told(method: str, params: dict[str, Any]) -> str:
        with pytest.raises(Refused) as refusal:
            call(method, **params)
        return str(refusal.value)

    codes = [told(method, params) for method, params, _ in REFUSALS]
    assert codes == [code for *_, code in REFUSALS]


def _result(answer: Any) -> Any:
    """Return the result of an answer that the client left whole; raises `Refused`."""
    refusal = answer.get("details", answer)
    if "error" in refusal:
        raise Refused(refusal["error"])
    return answer["result"]
