"""The audit records each writing call: caller, method, subject, time, address and outcome."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from corpora import read_data
from kernel.processes import landyard, serving
from kernel.sample import Brings, audit_all
from kernel.switching import turn
from msgspec import Struct
from sqlalchemy import select, text
from structlog.testing import capture_logs

import landyard_audit
from landyard import (
    Actor,
    Call,
    CallError,
    Credential,
    MethodGroup,
    MissingParams,
    Plugin,
    WrongType,
    hookimpl,
)
from landyard.testing import WEBHOOK, Service, as_plugin
from landyard.web.wire import Incoming
from landyard_audit.rows import AUDIT_ROW

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Denied(CallError):
    code = "ACCESS_DENIED"


class Work(Struct, frozen=True):
    thing: int
    fail: str = ""


def plugins() -> list[Plugin]:
    group = MethodGroup(scope="sample")

    @group.method("sample.work", errors=[Denied, MissingParams, WrongType], writes=True)
    def work(call: Call, params: Work) -> bool:
        """Change something."""
        call.subject = f"thing:{params.thing}"
        call.connection.execute(text("UPDATE landyard_user SET name = 'changed'"))
        if params.fail == "denied":
            raise Denied
        if params.fail == "crash":
            raise ZeroDivisionError
        return True

    @group.method("sample.look", errors=[Denied, MissingParams, WrongType])
    def look(call: Call, params: Work) -> bool:
        """Look at something."""
        return True

    return [as_plugin(landyard_audit), Plugin("sample", Brings(group), "landyard-sample", "1.2.3")]


def rows(service: Service) -> list[Any]:
    audit_all(service)
    with service.kernel.store.session() as session:
        return list(session.execute(select(AUDIT_ROW).order_by(AUDIT_ROW.c.id)))


def send(service: Service, **params: Any) -> None:
    service.send(
        Incoming(
            "POST",
            f"/1/{WEBHOOK}/SAMPLE.work",
            body=msgspec.json.encode(params),
            id="request-1",
            address="203.0.113.7",
        )
    )


def test_a_call_that_writes_leaves_one_row(make_service: MakeService) -> None:
    service = make_service(plugins(), now=NOW)

    send(service, thing=10)

    [row] = rows(service)
    assert {
        name: value for name, value in row._asdict().items() if name not in {"id", "seconds"}
    } == {
        "at": NOW,
        "user_id": 1,
        "credential": "webhook:1",
        "address": "203.0.113.7",
        "method": "sample.work",
        "plugin": "sample",
        "version": "1.2.3",
        "subject": "thing:10",
        "outcome": "ok",
        "request_id": "request-1",
    }
    assert 0 < row.seconds < 60


@pytest.mark.parametrize(
    ("params", "outcome", "subject"),
    [
        ({"thing": 10, "fail": "denied"}, "ACCESS_DENIED", "thing:10"),
        ({"thing": 10, "fail": "crash"}, "INTERNAL_SERVER_ERROR", "thing:10"),
        ({}, "MISSING_PARAMS", ""),
    ],
)
def test_a_failed_call_that_writes_leaves_one_row(
    make_service: MakeService, params: dict[str, Any], outcome: str, subject: str
) -> None:
    service = make_service(plugins(), raise_crashes=False)

    send(service, **params)

    assert [(row.outcome, row.subject) for row in rows(service)] == [(outcome, subject)]


def test_a_call_without_the_scope_leaves_a_row_and_a_reading_call_none() -> None:
    world = {"users": [{"id": 1, "admin": True}], "webhooks": [{"user": 1, "code": WEBHOOK}]}
    with Service(plugins(), world=world) as service:
        send(service, thing=10)
        service.call("sample.look", thing=10)

        assert [row.outcome for row in rows(service)] == ["insufficient_scope"]


class Stranger:
    """Lets in a caller whose user id is too large for a row of the audit."""

    @hookimpl
    def authenticate(self, credential: Credential) -> Actor | None:
        return Actor(2**70, "stranger:1", frozenset({"sample"}))


def test_a_change_is_undone_when_its_row_cannot_be_written(make_service: MakeService) -> None:
    service = make_service([*plugins(), Plugin("stranger", Stranger())])

    answer = service.call("sample.work", thing=10, webhook="a-strange-code-0123456789")

    assert (answer.status, answer.error) == (503, "OVERLOAD_LIMIT")
    with service.kernel.store.session() as session:
        names = session.execute(text("SELECT name FROM landyard_user")).scalars()
        assert set(names) == {"Admin"}


def test_a_row_that_cannot_be_written_is_logged_and_other_rows_are_kept(
    make_service: MakeService,
) -> None:
    service = make_service([*plugins(), Plugin("stranger", Stranger())])

    with capture_logs() as logs:
        service.call("sample.work", thing=1, fail="denied", webhook="a-strange-code-0123456789")
        service.call("sample.work", thing=2, fail="denied")
        written = [row.subject for row in rows(service)]

    assert written == ["thing:2"]
    assert [each["event"] for each in logs].count("audit_rows_lost") == 1


def test_the_last_row_is_written_before_the_kernel_closes(tmp_path: Path) -> None:
    with Service(plugins(), data=tmp_path) as service:
        service.call("sample.work", thing=1, fail="denied")

    with Service(plugins(), data=tmp_path, world={}) as service:
        assert [row.subject for row in rows(service)] == ["thing:1"]


def test_with_the_plugin_off_there_are_no_rows(make_service: MakeService) -> None:
    service = make_service(plugins())

    turn(service.kernel, "audit", is_on=False)
    service.kernel.lifecycle.refresh()
    send(service, thing=1)
    send(service, thing=2, fail="denied")

    assert rows(service) == []


@on_sqlite
@pytest.mark.parametrize(
    ("settings", "left"),
    read_data(__file__, "what is left", list[tuple[dict[str, Any], int]]),
)
def test_old_and_surplus_rows_are_deleted(
    make_service: MakeService, settings: dict[str, Any], left: int
) -> None:
    service = make_service(plugins(), audit=settings)
    for days in (200, 100, 20, 5, 1):
        service.now = NOW - timedelta(days=days)
        send(service, thing=days)
    service.now = NOW

    service.run_jobs()

    assert [row.subject for row in rows(service)] == [
        f"thing:{days}" for days in (200, 100, 20, 5, 1)[5 - left :]
    ]


def test_many_rows_are_deleted_in_portions(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard_audit.removal.AT_ONCE", 2)
    service = make_service(plugins(), audit={"rows": 1})
    for number in range(6):
        send(service, thing=number)

    service.run_jobs()

    assert [row.subject for row in rows(service)] == ["thing:5"]


def test_the_row_of_a_served_call_has_its_address_and_is_written_within_seconds(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, "--demo") as server:
        status, _, _ = server.ask("POST", f"{server.webhook}landing.landing.delete", {"lid": 999})
        assert status == 400

    output = landyard(tmp_path, "audit", "--json")
    [row] = msgspec.json.decode(output.out)
    assert (row["method"], row["subject"], row["address"], row["outcome"]) == (
        "landing.landing.delete",
        "page:999",
        "127.0.0.1",
        "LANDING_NOT_EXIST",
    )
