"""Secrets are revoked within a second, stored only as digests, and never printed (C13)."""

import hashlib
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import sample_plugin
from rich.pretty import pretty_repr

from landyard import Bounds, Credential, Request, credentials
from landyard.auth.cache import REMEMBERED_FOR
from landyard.auth.credentials import new_secret
from landyard.testing import Service
from landyard.web.wire import Incoming, decode, split

HOOK = "a-webhook-code-0123456789"
TOKEN = "an-access-token-0123456789"
WORLD = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": HOOK, "scopes": ["sample"]}],
    "tokens": [{"user": 1, "token": TOKEN, "scopes": ["sample"]}],
}
CALLS = {
    "webhook": Incoming("POST", f"/1/{HOOK}/sample.who"),
    "token": Incoming("POST", "/sample.who", authorization=f"Bearer {TOKEN}"),
}


CHANGES: list[tuple[str, Any, dict[str, Any], str]] = [
    ("webhook", credentials.WEBHOOK, {"active": False}, "INVALID_CREDENTIALS"),
    ("webhook", credentials.USER, {"active": False}, "user_access_error"),
    ("webhook", credentials.WEBHOOK, {"scopes": ""}, "insufficient_scope"),
    ("token", credentials.TOKEN, {"active": False}, "invalid_token"),
    ("token", credentials.USER, {"active": False}, "user_access_error"),
]


@pytest.mark.rule("C13", "C15")
@pytest.mark.parametrize(("kind", "model", "values", "code"), CHANGES)
def test_C15_a_revocation_is_effective_within_a_second(
    kind: str, model: Any, values: dict[str, Any], code: str
) -> None:
    with Service([sample_plugin()], world=WORLD) as service:
        assert service.send(CALLS[kind]).status == 200
        with service.kernel.store.session(writes=True) as session:
            session.execute(sa.update(model).values(**values))
        time.sleep(REMEMBERED_FOR)

        assert service.send(CALLS[kind]).error == code


@pytest.mark.rule("C13")
def test_C13_the_credentials_of_a_deleted_user_are_gone(make_service: MakeService) -> None:
    service = make_service([sample_plugin()], world=WORLD)
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.delete(credentials.USER))

    assert [service.send(each).error for each in CALLS.values()] == [
        "INVALID_CREDENTIALS",
        "invalid_token",
    ]


def test_secrets_are_stored_only_as_digests(make_service: MakeService) -> None:
    service = make_service([sample_plugin()], world=WORLD)
    assert all(service.send(each).status == 200 for each in CALLS.values())

    with service.kernel.store.session() as session:
        tables = {
            model: session.execute(sa.text(f"SELECT * FROM {model.name}")).all()
            for model in (credentials.USER, credentials.WEBHOOK, credentials.TOKEN)
        }
    everything = repr(tables)

    assert hashlib.sha256(HOOK.encode()).hexdigest() in everything
    assert hashlib.sha256(TOKEN.encode()).hexdigest() in everything
    assert HOOK not in everything
    assert TOKEN not in everything


def test_no_file_of_the_data_directory_contains_a_secret(tmp_path: Path) -> None:
    with Service([sample_plugin()], world=WORLD, data=tmp_path) as service:
        assert all(service.send(each).status == 200 for each in CALLS.values())
        files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    assert "landyard.db" in files
    assert not [name for name, text in files.items() if HOOK.encode() in text]
    assert not [name for name, text in files.items() if TOKEN.encode() in text]


@pytest.mark.parametrize("show", [repr, str, pretty_repr])
def test_a_printed_request_contains_no_secret(show: Any) -> None:
    body = f'{{"auth": "{TOKEN}", "password": "{HOOK}"}}'.encode()
    request, hooked = (
        decode(Incoming("POST", path, body=sent), split(path), Bounds(), {})
        for path, sent in (("/sample.given", body), (f"/1/{HOOK}/sample.given", b""))
    )
    assert isinstance(request, Request)
    assert isinstance(request.credential, Credential)

    shown = [show(each) for each in (request, request.credential, hooked, hooked.credential)]

    assert not [text for text in shown if TOKEN in text or HOOK in text]


def test_our_secrets_are_256_random_bits() -> None:
    made = {new_secret("webhook") for _ in range(100)} | {new_secret("token") for _ in range(100)}

    assert len(made) == 200
    assert {secret.partition("_")[0] for secret in made} == {"lyw", "lyt"}
    # 32 bytes in base 64, and a checksum of eight characters
    assert {len(secret.partition("_")[2]) for secret in made} == {43 + 8}
