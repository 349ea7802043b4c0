"""`landyard.user.*`, `webhook.*` and `token.*`: methods for the accounts that commands manage
too.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from sqlalchemy import select

import landyard_accounts
import landyard_audit
from landyard import Actor
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming
from landyard_audit.rows import AUDIT_ROW

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OTHER = "accounts-webhook-0123456789"
PLAIN = "accounts-webhook-without-admin"
WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}, {"id": 2, "name": "Ben"}],
    "webhooks": [
        {"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]},
        {"user": 2, "code": OTHER, "scopes": ["admin"]},
        {"user": 1, "code": PLAIN, "scopes": ["landing"]},
    ],
}
ROW = AUDIT_ROW.c
CALLS: dict[str, Any] = {
    "landyard.user.list": {},
    "landyard.user.add": {"name": "Cid"},
    "landyard.user.update": {"id": 2, "name": "Benno"},
    "landyard.user.revoke": {"id": 2},
    **{
        f"landyard.{noun}.{word}": sent
        for noun in ("webhook", "token")
        for word, sent in {
            "list": {},
            "add": {"user_id": 2, "scopes": ["landing"]},
            "update": {"id": 2, "title": "t"},
            "rotate": {"id": 2},
            "revoke": {"id": 2},
        }.items()
    },
}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = make_service([landyard_accounts, landyard_audit], world=WORLD, now=NOW)
    for _ in range(2):
        made.result("landyard.token.add", {"user_id": 1})
    return made


def by_token(
    service: Service, secret: str, method: str = "landyard.user.list", **sent: Any
) -> Answer:
    body = msgspec.json.encode(sent)
    return service.send(Incoming("POST", f"/{method}", authorization=f"Bearer {secret}", body=body))


def listed(service: Service, noun: str, row_id: int) -> Any:
    return next(each for each in service.result(f"landyard.{noun}.list") if each["id"] == row_id)


@pytest.mark.parametrize("method", CALLS)
def test_only_administrators_are_answered(service: Service, method: str) -> None:
    refused = service.call(method, CALLS[method], user=2, webhook=OTHER)
    without = service.call(method, CALLS[method], webhook=PLAIN)

    assert (refused.status, refused.error) == (403, "user_access_error")
    assert (without.status, without.error) == (401, "insufficient_scope")
    assert service.call(method, CALLS[method]).status == 200


def test_the_methods_belong_to_the_scope_admin() -> None:
    assert Actor(1, "webhook:1", frozenset({"admin", "user"})).scopes == {"user"}
    assert Actor(1, "webhook:1", frozenset({"admin"}), admin=True).scopes == {"admin"}


@pytest.mark.parametrize(
    ("method", "sent", "code"),
    [
        ("user.list", {"start": "x"}, "TYPE_ERROR"),
        ("user.add", {}, "MISSING_PARAMS"),
        ("user.add", {"name": []}, "TYPE_ERROR"),
        ("user.add", {"name": " "}, "ACCOUNT_REFUSED"),
        ("user.add", {"name": " Ann"}, "ACCOUNT_REFUSED"),
        ("user.add", {"name": "Cid", "admin": "perhaps"}, "TYPE_ERROR"),
        ("user.update", {}, "MISSING_PARAMS"),
        ("user.update", {"id": 9}, "USER_NOT_FOUND"),
        ("user.update", {"id": "x"}, "TYPE_ERROR"),
        ("user.update", {"id": 2, "name": "Ann"}, "ACCOUNT_REFUSED"),
        ("user.update", {"id": 2, "admin": {}}, "TYPE_ERROR"),
        ("user.update", {"id": 2, "active": {}}, "TYPE_ERROR"),
        ("user.revoke", {"id": 9}, "USER_NOT_FOUND"),
        ("webhook.list", {"start": {}}, "TYPE_ERROR"),
        ("webhook.add", {}, "MISSING_PARAMS"),
        ("webhook.add", {"user_id": 9}, "USER_NOT_FOUND"),
        ("webhook.add", {"user_id": 1, "scopes": ["a b"]}, "TYPE_ERROR"),
        ("webhook.add", {"user_id": 1, "scopes": "landing"}, "TYPE_ERROR"),
        ("webhook.add", {"user_id": 1, "title": []}, "TYPE_ERROR"),
        ("webhook.add", {"user_id": 1, "hours": 0}, "TYPE_ERROR"),
        ("webhook.update", {"id": 9}, "CREDENTIAL_NOT_FOUND"),
        ("webhook.update", {"id": 2, "scopes": [""]}, "TYPE_ERROR"),
        ("webhook.update", {"id": 2, "title": {}}, "TYPE_ERROR"),
        ("webhook.update", {"id": 2, "hours": -1}, "TYPE_ERROR"),
        ("webhook.rotate", {"id": 9}, "CREDENTIAL_NOT_FOUND"),
        ("webhook.rotate", {"id": 2, "overlap": 10**9}, "TYPE_ERROR"),
        ("webhook.revoke", {"id": 0}, "CREDENTIAL_NOT_FOUND"),
    ],
)
def test_wrong_parameters_are_refused(service: Service, method: str, sent: Any, code: str) -> None:
    assert service.call(f"landyard.{method}", sent).error == code


def test_a_user_is_added_changed_revoked_and_restored(service: Service) -> None:
    assert service.result("landyard.user.add", name=" Cid ", admin=True) == 3
    assert listed(service, "user", 3) == {"id": 3, "name": "Cid", "admin": True, "active": True}
    service.result("landyard.user.update", id=3, name="Cid", admin="N")
    service.result("landyard.user.revoke", id=3)
    assert listed(service, "user", 3) == {"id": 3, "name": "Cid", "admin": False, "active": False}
    service.result("landyard.user.update", id=3, active=True)
    assert listed(service, "user", 3)["active"] is True


def test_a_long_list_is_answered_fifty_rows_at_a_time(service: Service) -> None:
    for number in range(49):
        service.result("landyard.user.add", name=f"User {number}")

    first = service.call("landyard.user.list").body
    rest = service.call("landyard.user.list", start=first["next"]).body

    assert (len(first["result"]), first["next"], first["total"]) == (50, 50, 51)
    assert [each["id"] for each in rest["result"]] == [51]
    assert "next" not in rest


def test_a_credential_is_shown_once_and_works(service: Service) -> None:
    hook = service.result("landyard.webhook.add", user_id=1, scopes=["admin"], title="t", hours=1)
    secret = hook["address"].rstrip("/").rpartition("/")[2]
    made = service.result("landyard.token.add", user_id=1, scopes=["admin"])

    assert hook["expires_at"] == "2026-03-01T13:00:00Z"
    assert service.result("landyard.user.list", webhook=secret)
    assert by_token(service, made["token"]).status == 200
    kept = {"user_id": 1, "scopes": ["admin"], "title": "t", "active": True}
    more = {"expires_at": hook["expires_at"], "last_used_at": None, "replaced_by": None}
    assert listed(service, "webhook", hook["id"]) == {"id": hook["id"], **kept, **more}
    assert secret not in str(service.result("landyard.webhook.list"))


def test_a_webhook_is_rotated_once(service: Service) -> None:
    new = service.result("landyard.webhook.rotate", id=2)

    assert service.call("landyard.webhook.rotate", id=2).error == "ACCOUNT_REFUSED"
    assert listed(service, "webhook", 2)["replaced_by"] == new["id"]


def test_a_credential_is_rotated_once(service: Service) -> None:
    old = service.result("landyard.token.add", user_id=1, scopes=["admin"])
    new = service.result("landyard.token.rotate", id=old["id"], overlap=0)

    assert new["replaces"] == old["id"]
    assert by_token(service, old["token"]).error == "invalid_token"
    assert by_token(service, new["token"]).status == 200
    assert listed(service, "token", old["id"])["replaced_by"] == new["id"]
    assert service.call("landyard.token.rotate", id=old["id"]).error == "ACCOUNT_REFUSED"


def test_a_credential_is_changed_and_revoked(service: Service) -> None:
    secret = service.result("landyard.token.add", user_id=1, scopes=["admin"], hours=1)
    row = listed(service, "token", secret["id"])
    changed = {"scopes": ["admin", "user"], "title": "new"}
    service.result("landyard.token.update", id=row["id"], hours=0, **changed)

    assert listed(service, "token", row["id"]) == {**row, **changed, "expires_at": None}
    service.result("landyard.token.revoke", id=row["id"])
    assert by_token(service, secret["token"]).error == "invalid_token"


def test_a_scope_without_effect_is_warned_about(service: Service) -> None:
    body = b'{"user_id": 2, "scopes": ["admin"]}'
    answer = service.request("POST", f"/rest/1/{WEBHOOK}/landyard.token.add", content=body)

    assert "administrators alone" in answer.headers["landyard-warning"]


@pytest.mark.parametrize(
    ("method", "sent"),
    [
        ("user.revoke", {"id": 1}),
        ("user.update", {"id": 1, "active": False}),
        ("user.update", {"id": 1, "admin": False}),
        ("webhook.revoke", {"id": 1}),
        ("webhook.update", {"id": 1, "scopes": ["landing"]}),
    ],
)
def test_the_last_administrator_cannot_lose_the_right(
    service: Service, method: str, sent: Any
) -> None:
    refused = service.call(f"landyard.{method}", sent)

    assert refused.error == "LAST_ADMINISTRATOR"
    assert listed(service, "user", 1) == {"id": 1, "name": "Ann", "admin": True, "active": True}
    assert listed(service, "webhook", 1)["active"] is True
    # user 2 has a webhook with the scope admin
    service.result("landyard.user.update", id=2, admin=True)
    assert service.call(f"landyard.{method}", sent).result is True


@pytest.mark.parametrize(("word", "more"), [("revoke", {}), ("update", {"scopes": ["landing"]})])
def test_the_last_administrator_with_a_token_cannot_lose_the_right(
    service: Service, word: str, more: Any
) -> None:
    made = service.result("landyard.token.add", user_id=1, scopes=["admin"])
    assert by_token(service, made["token"], "landyard.webhook.revoke", id=1).result is True

    refused = by_token(service, made["token"], f"landyard.token.{word}", id=made["id"], **more)

    assert refused.error == "LAST_ADMINISTRATOR"
    assert by_token(service, made["token"]).status == 200


def test_each_change_is_in_the_audit(service: Service) -> None:
    service.result("landyard.user.add", name="Cid")
    service.result("landyard.webhook.revoke", id=2)

    with service.kernel.store.session() as session:
        rows = session.execute(select(*ROW).order_by(ROW.id.desc()).limit(2)).all()
    assert [(row.method, row.subject, row.credential) for row in rows] == [
        ("landyard.webhook.revoke", "webhook:2", "webhook:1"),
        ("landyard.user.add", "user:3", "webhook:1"),
    ]
