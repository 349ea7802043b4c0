"""b24pysdk, the official Python client: HTTPS, `.json`, booleans as `Y` and `N`."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from b24pysdk import errors  # type: ignore[import-untyped]  # ships no types
from b24pysdk.client import Client  # type: ignore[import-untyped]
from b24pysdk.credentials import (  # type: ignore[import-untyped]
    AbstractBitrixApp,
    BitrixToken,
    BitrixWebhook,
)
from clients.conftest import EXPIRED_TOKEN, TOKEN, VIEWER_WEBHOOK, WEBHOOK, Demo

from landyard_landing.tables import HistoryEntry

TITLE = ".landing-block-node-title"


class App(AbstractBitrixApp):  # type: ignore[misc]  # the base is untyped
    """An application that cannot renew its tokens: nobody here would answer it."""

    client_id = "app"
    client_secret = "secret"


@pytest.fixture
def webhook(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> Any:
    return _client(demo, monkeypatch, lambda domain: _hook(domain, f"1/{WEBHOOK}"))


@pytest.fixture
def oauth(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> Any:
    return _client(demo, monkeypatch, lambda domain: _token(domain, TOKEN))


@pytest.mark.parametrize("form", ["webhook", "oauth"])
def test_5_both_credentials_read_a_list(form: str, request: pytest.FixtureRequest) -> None:
    api = request.getfixturevalue(form)

    blocks = api.landing.block.getlist(12, params={"edit_mode": True}).result

    assert [block["id"] for block in blocks] == list(range(116, 123))
    assert {block["meta"]["LANDING_TITLE"] for block in blocks} == {"Visit Tidewright"}


def test_C12_times_are_parsed(webhook: Any) -> None:
    time = webhook.landing.block.getlist(10).response.time

    assert timedelta(0) <= time.date_finish - time.date_start <= timedelta(seconds=30)
    assert abs(datetime.now(UTC) - time.date_finish) < timedelta(minutes=1)
    assert time.duration == pytest.approx(time.finish - time.start, abs=1e-6)
    assert 0 < time.processing <= time.duration
    assert time.operating >= time.processing
    assert timedelta(0) < time.operating_reset_at - time.date_finish <= timedelta(minutes=10)


@pytest.mark.parametrize(
    ("block", "options", "entries"),
    [
        (118, {}, 1),
        (119, {"prevent_history": False}, 1),  # goes out as "N"
        (120, {"prevent_history": True}, 0),  # goes out as "Y"
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
    assert _history(demo, block) == entries


REFUSED: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda block: block.getlist(999), "BitrixAPIBadRequest", "LANDING_NOT_EXIST"),
    (
        lambda block: block.updatenodes(10, 999, {TITLE: ""}),
        "BitrixAPIBadRequest",
        "BLOCK_NOT_FOUND",
    ),
    (lambda block: block.updatenodes(10, 101, {}), "BitrixAPIBadRequest", "NODES_NOT_FOUND"),
    (lambda block: block.clonecard(10, 103, ".x@0"), "BitrixAPINotFound", "ERROR_METHOD_NOT_FOUND"),
]


@pytest.mark.parametrize(("call", "raised", "code"), REFUSED, ids=[code for *_, code in REFUSED])
def test_7_a_refusal_is_raised_with_its_code(
    webhook: Any, call: Callable[[Any], Any], raised: str, code: str
) -> None:
    with pytest.raises(errors.BitrixAPIError) as refusal:
        _ = call(webhook.landing.block).result

    answer: Any = refusal.value
    assert (type(answer).__name__, answer.error) == (raised, code)


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


def test_R3_a_viewer_gets_access_denied(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    api = _client(demo, monkeypatch, lambda domain: _hook(domain, f"2/{VIEWER_WEBHOOK}"))

    with pytest.raises(errors.BitrixAPIAccessDenied):
        _ = api.landing.block.updatenodes(10, 101, {TITLE: "x"}).result


def _client(demo: Demo, monkeypatch: pytest.MonkeyPatch, credential: Callable[[str], Any]) -> Any:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(demo.authority))
    return Client(credential(demo.https))


def _hook(domain: str, secret: str) -> Any:
    return BitrixWebhook(domain=domain, webhook_token=secret)


def _token(domain: str, secret: str) -> Any:
    class Unrenewed(BitrixToken):  # type: ignore[misc]  # the base is untyped
        _AUTO_REFRESH_EXPIRED_TOKEN = False

    return Unrenewed(domain=domain, auth_token=secret, bitrix_app=App())


def _history(demo: Demo, block: int) -> int:
    """The contract has no way to read the history, so look where it is kept."""
    table = HistoryEntry.__table__  # type: ignore[attr-defined]
    engine = sa.create_engine(f"sqlite:///{demo.data / 'landyard.db'}")
    with engine.connect() as connection:
        count = sa.select(sa.func.count()).where(table.c.block_id == block)
        found: int = connection.execute(count).scalar_one()
    engine.dispose()
    return found
