"""b24pysdk, the official Python client: HTTPS, `.json`, booleans as `Y` and `N`.

It has a wrapper for each of our methods except `methods`, and none that passes `mark` to
`markDelete`.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from b24pysdk import errors  # type: ignore[import-untyped]  # ships no types
from b24pysdk.client import Client  # type: ignore[import-untyped]
from b24pysdk.credentials import (  # type: ignore[import-untyped]
    AbstractBitrixApp,
    BitrixToken,
    BitrixWebhook,
)
from clients.conftest import EXPIRED_TOKEN, TOKEN, VIEWER_WEBHOOK, WEBHOOK, Demo
from clients.story import PROVEN, REFUSALS, REFUSED_BY, edits, live
from clients.story import Client as AnyClient

TITLE = ".landing-block-node-title"


class App(AbstractBitrixApp):  # type: ignore[misc]  # the base is untyped
    """An application that cannot renew its tokens, because no server here would answer it."""

    client_id = "app"
    client_secret = "secret"


@pytest.fixture
def webhook(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> Any:
    return _client(demo, monkeypatch, lambda domain: _hook(domain, f"1/{WEBHOOK}"))


@pytest.fixture
def oauth(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> Any:
    return _client(demo, monkeypatch, lambda domain: _token(domain, TOKEN))


@pytest.mark.rule(
    "call: path of a webhook", "call: path of a token", "landing.block.getlist result.meta"
)
@pytest.mark.parametrize("form", ["webhook", "oauth"])
def test_5_both_credentials_read_a_list(form: str, request: pytest.FixtureRequest) -> None:
    api = request.getfixturevalue(form)

    blocks = api.landing.block.getlist(12, params={"edit_mode": True}).result

    assert [block["id"] for block in blocks] == list(range(116, 123))
    assert {block["meta"]["LANDING_TITLE"] for block in blocks} == {"Visit Tidewright"}


@pytest.mark.rule("C12", "call: time")
def test_C12_times_are_parsed(webhook: Any) -> None:
    time = webhook.landing.block.getlist(10).response.time

    assert timedelta(0) <= time.date_finish - time.date_start <= timedelta(seconds=30)
    assert abs(datetime.now(UTC) - time.date_finish) < timedelta(minutes=1)
    assert time.duration == pytest.approx(time.finish - time.start, abs=1e-6)
    assert 0 < time.processing <= time.duration
    assert time.operating >= time.processing
    assert timedelta(0) < time.operating_reset_at - time.date_finish <= timedelta(minutes=10)


@pytest.mark.rule("B14", "landing.block.updatenodes preventHistory")
@pytest.mark.parametrize(
    ("block", "options", "entries"),
    [
        (118, {}, 1),
        (119, {"prevent_history": False}, 1),  # it is sent as "N"
        (120, {"prevent_history": True}, 0),  # it is sent as "Y"
    ],
)
def test_B14_an_edit_enters_the_history_unless_prevented(
    demo: Demo, webhook: Any, block: int, options: dict[str, bool], entries: int
) -> None:
    data = {TITLE: f"Edited {block}"}

    assert webhook.landing.block.updatenodes(12, block, data, **options).result is True

    params = {"edit_mode": True, "get_content": True}
    read = webhook.landing.block.getlist([12], params=params).result
    assert f"Edited {block}<" in next(it["content"] for it in read if it["id"] == block)
    assert edits(demo, block) == entries


@pytest.mark.rule(
    *PROVEN, "C6", "call: result and time", "call: path of a webhook", "call: path of a token"
)
@pytest.mark.parametrize("form", ["webhook", "oauth"])
def test_4_a_page_lives(demo: Demo, form: str, request: pytest.FixtureRequest) -> None:
    api = request.getfixturevalue(form)

    def batch(commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        came = api.get_token().call_batch(commands)["result"]
        assert not came["result_error"], came
        return came["result"]

    live(_spelled(api), demo, f"b24pysdk-{form}", batch)


@pytest.mark.rule("landing.block.getlist result.meta")
def test_4_wrapped_calls_travel_together(webhook: Any) -> None:
    wanted = {
        "pages": webhook.landing.landing.get_list(params={"filter": {"ID": 12}}),
        "blocks": webhook.landing.block.getlist(12, params={"edit_mode": True}),
        "nothing": webhook.landing.block.getlist(999),
    }

    came = webhook.call_batch(wanted).result

    assert [page["ID"] for page in came.result["pages"]] == ["12"]
    assert [block["id"] for block in came.result["blocks"]] == list(range(116, 123))
    assert came.result_error["nothing"]["error"] == "LANDING_NOT_EXIST"


@pytest.mark.rule("call: error", *(f"{method} {code}" for method, _, code in REFUSALS))
@pytest.mark.parametrize(("method", "params", "code"), REFUSALS, ids=REFUSED_BY)
def test_7_a_refusal_is_raised_with_its_code(
    webhook: Any, method: str, params: dict[str, Any], code: str
) -> None:
    with pytest.raises(errors.BitrixAPIBadRequest) as refusal:
        _spelled(webhook)(method, **params)

    assert refusal.value.error == code


@pytest.mark.rule("C13")
def test_C13_an_unknown_method_is_reported(webhook: Any) -> None:
    with pytest.raises(errors.BitrixAPINotFound) as refusal:
        _ = webhook.department.fields().result

    assert refusal.value.error == "ERROR_METHOD_NOT_FOUND"


@pytest.mark.rule("C13", "C15")
@pytest.mark.parametrize(
    ("credential", "raised"),
    [
        (lambda domain: _hook(domain, "1/no-such-webhook-0123456789"), "InvalidCredentials"),
        (lambda domain: _hook(domain, f"2/{WEBHOOK}"), "InvalidCredentials"),
        (lambda domain: _token(domain, "no-such-token-0123456789"), "InvalidToken"),
        (lambda domain: _token(domain, EXPIRED_TOKEN), "ExpiredToken"),
    ],
    ids=["wrong-webhook", "another-owner", "wrong-token", "expired-token"],
)
def test_C13_credentials_have_exceptions_of_their_own(
    demo: Demo, monkeypatch: pytest.MonkeyPatch, credential: Callable[[str], Any], raised: str
) -> None:
    api = _client(demo, monkeypatch, credential)

    with pytest.raises(getattr(errors, f"BitrixAPI{raised}")):
        _ = api.landing.block.getlist(10).result


@pytest.mark.rule("R3", "landing.block.updatenodes ACCESS_DENIED")
def test_R3_a_viewer_gets_access_denied(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    api = _client(demo, monkeypatch, lambda domain: _hook(domain, f"2/{VIEWER_WEBHOOK}"))

    with pytest.raises(errors.BitrixAPIAccessDenied):
        _ = api.landing.block.updatenodes(10, 101, {TITLE: "x"}).result


def _spelled(api: Any) -> AnyClient:
    """Call through the client's own wrappers, whose names and parameters are Python's."""

    def call(method: str, **params: Any) -> Any:
        if method == "methods" or "mark" in params:
            return api.get_token().call_method(method, params)["result"]
        _, entity, name = method.split(".")
        wrapper = getattr(getattr(api.landing, entity), _snake(name))
        return wrapper(**{_snake(param): value for param, value in params.items()}).result

    return call


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _client(demo: Demo, monkeypatch: pytest.MonkeyPatch, credential: Callable[[str], Any]) -> Any:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(demo.authority))
    return Client(credential(demo.https))


def _hook(domain: str, secret: str) -> Any:
    return BitrixWebhook(domain=domain, webhook_token=secret)


def _token(domain: str, secret: str) -> Any:
    class Unrenewed(BitrixToken):  # type: ignore[misc]  # the base is untyped
        _AUTO_REFRESH_EXPIRED_TOKEN = False

    return Unrenewed(domain=domain, auth_token=secret, bitrix_app=App())
