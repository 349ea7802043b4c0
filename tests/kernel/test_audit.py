"""The audit: who did what to what, when, from where, and what came of it."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from conftest import MakeService
from kernel.processes import serving
from kernel.sample import Brings
from msgspec import Struct
from sqlalchemy import text
from sqlmodel import select

from landyard import Call, CallError, MethodGroup, MissingParams, Plugin, WrongType
from landyard.audit import MOST_PENDING, AuditRow, Entry
from landyard.cli import main
from landyard.discovery import found
from landyard.plugins import import_plugin
from landyard.testing import WEBHOOK, Service
from landyard.wire import Incoming

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Denied(CallError):
    code = "ACCESS_DENIED"


class Work(Struct, frozen=True):
    thing: int
    fail: str = ""


def plugin() -> Plugin:
    group = MethodGroup(scope="sample")

    @group.method("sample.work", errors=[Denied, MissingParams, WrongType], writes=True)
    def work(call: Call, params: Work) -> bool:
        """Change something."""
        call.concerns("thing", params.thing)
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

    return Plugin("sample", Brings(group), "landyard-sample 1.2.3")


def rows(service: Service) -> list[AuditRow]:
    service.kernel.write_records()
    with service.kernel.store.session() as session:
        return list(session.exec(select(AuditRow).order_by(AuditRow.id)))  # type: ignore[arg-type]


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
    service = make_service([plugin()], now=NOW)

    send(service, thing=10)

    [row] = rows(service)
    assert row.model_dump(exclude={"id", "seconds"}) == {
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
def test_so_does_one_that_fails(
    make_service: MakeService, params: dict[str, Any], outcome: str, subject: str
) -> None:
    service = make_service([plugin()], raise_crashes=False)

    send(service, **params)

    assert [(row.outcome, row.subject) for row in rows(service)] == [(outcome, subject)]


@pytest.mark.rule("C1")
def test_C1_a_call_that_fails_writes_nothing_itself(make_service: MakeService) -> None:
    """Its row comes behind it, with `write_records`."""
    service = make_service([plugin()])

    send(service, thing=10, fail="denied")

    with service.kernel.store.session() as session:
        assert session.exec(select(AuditRow)).all() == []
    assert len(rows(service)) == 1


def test_a_call_without_the_scope_is_in_it_and_one_that_only_reads_is_not() -> None:
    world = {"users": [{"id": 1, "admin": True}], "webhooks": [{"user": 1, "code": WEBHOOK}]}
    with Service([plugin()], world=world) as service:
        send(service, thing=10)
        service.call("sample.look", thing=10)

        assert [row.outcome for row in rows(service)] == ["insufficient_scope"]


def test_the_row_is_there_when_the_change_is_and_not_without_it(make_service: MakeService) -> None:
    """A commit that fails takes the row along."""
    service = make_service([plugin()], raise_crashes=False)
    kept = service.kernel.audit.keep

    def keep_and_break(connection: Any, entry: Entry) -> None:
        kept(connection, entry)
        raise OSError

    service.kernel.audit.keep = keep_and_break  # type: ignore[method-assign]
    send(service, thing=10)

    assert [row.outcome for row in rows(service)] == ["INTERNAL_SERVER_ERROR"]


def test_rows_that_cannot_be_written_wait_and_none_is_written_twice(
    make_service: MakeService,
) -> None:
    service = make_service([plugin()])
    send(service, thing=1, fail="denied")
    send(service, thing=2, fail="denied")
    run = service.kernel.store.run

    def fails(*_: Any, **__: Any) -> Any:
        raise BrokenPipeError

    service.kernel.store.run = fails  # type: ignore[method-assign]
    with pytest.raises(BrokenPipeError):
        service.kernel.write_records()
    service.kernel.store.run = run  # type: ignore[method-assign]
    send(service, thing=3, fail="denied")

    assert [row.subject for row in rows(service)] == ["thing:1", "thing:2", "thing:3"]
    assert len(rows(service)) == 3


def test_rows_noted_while_others_are_written_are_not_lost(make_service: MakeService) -> None:
    service = make_service([plugin()])
    entry = Entry(NOW, 1, "webhook:1", "", "m", "p", "1", "", "NO", 0.1, "")
    done = threading.Event()

    def note() -> None:
        for _ in range(2_000):
            service.kernel.audit.note(entry)
        done.set()

    thread = threading.Thread(target=note)
    thread.start()
    while not done.is_set():
        service.kernel.audit.flush(service.kernel.store)
    thread.join()

    assert len(rows(service)) == 2_000


def test_no_more_wait_than_memory_has_room_for(make_service: MakeService) -> None:
    service = make_service([plugin()])
    entry = Entry(NOW, 1, "webhook:1", "", "m", "p", "1", "", "NO", 0.1, "")
    for _ in range(MOST_PENDING + 5):
        service.kernel.audit.note(entry)

    assert len(rows(service)) == MOST_PENDING


@on_sqlite
@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({}, 4),
        ({"days": 10}, 2),
        ({"days": 0}, 5),
        ({"rows": 3}, 3),
        ({"rows": 1, "days": 10}, 1),
        ({"days": 0.5}, 0),
        ({"rows": 0, "days": 0}, 5),
    ],
)
def test_what_is_too_old_or_too_many_goes(
    make_service: MakeService, settings: dict[str, Any], left: int
) -> None:
    service = make_service([plugin()], audit=settings)
    for days in (200, 100, 20, 5, 1):
        service.now = NOW - timedelta(days=days)
        send(service, thing=days)
    service.now = NOW

    service.run_jobs()

    assert [row.subject for row in rows(service)] == [
        f"thing:{days}" for days in (200, 100, 20, 5, 1)[5 - left :]
    ]


def test_many_go_in_turns(make_service: MakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landyard.audit._OLDEST", _two_at_once())
    monkeypatch.setattr("landyard.audit._AT_ONCE", 2)
    service = make_service([plugin()], audit={"rows": 1})
    for number in range(6):
        send(service, thing=number)

    service.run_jobs()

    assert [row.subject for row in rows(service)] == ["thing:5"]


def _two_at_once() -> Any:
    from landyard import audit

    return audit._OLDEST.limit(2)


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with rows of three days."""
    folder = tmp_path_factory.mktemp("audited")
    plugins = [*map(import_plugin, found()), plugin()]
    with Service(plugins, data=folder, raise_crashes=False) as service:
        for days, fail in ((9, ""), (3, "denied"), (0, "")):
            service.now = datetime.now(UTC) - timedelta(days=days)
            send(service, thing=days, fail=fail)
            service.kernel.write_records()
    return folder


@pytest.fixture
def audited(three_days: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LANDYARD_DATA", str(three_days))
    monkeypatch.chdir(three_days)
    return three_days


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], ["thing:9", "thing:3", "thing:0"]),
        (["--about", "thing:3"], ["thing:3"]),
        (["--user", "1"], ["thing:9", "thing:3", "thing:0"]),
        (["--user", "2"], []),
        (["--credential", "webhook:2"], []),
        (["--address", "203.0.113.7", "--last", "1"], ["thing:0"]),
        (["--method", "Sample.WORK"], ["thing:9", "thing:3", "thing:0"]),
        (["--method", "sample.%"], []),
        (["--outcome", "ok"], ["thing:9", "thing:0"]),
        (["--failed"], ["thing:3"]),
        (["--request", "request-1", "--since", "4d"], ["thing:3", "thing:0"]),
        (["--since", "2999-01-01"], []),
        (["--since", "99999d"], ["thing:9", "thing:3", "thing:0"]),
    ],
)
def test_the_word_audit_filters(audited: Path, options: list[str], found: list[str]) -> None:
    said = CliRunner().invoke(main, ["audit", "--json", *options])

    assert said.exit_code == 0, said.output
    assert [row["subject"] for row in msgspec.json.decode(said.output)] == found


@pytest.mark.parametrize("option", [["--since", "yesterday"], ["--last", "0"], ["--user", "Ann"]])
def test_the_word_audit_says_what_it_cannot_read(audited: Path, option: list[str]) -> None:
    said = CliRunner().invoke(main, ["audit", *option])

    assert said.exit_code == 2
    assert option[0] in said.output


def test_a_served_call_has_its_address_and_its_row_within_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, "--demo") as server:
        status, _, _ = server.ask("POST", f"{server.webhook}landing.landing.delete", {"lid": 999})
        assert status == 400

    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["audit", "--json"])
    [row] = msgspec.json.decode(said.output)
    assert (row["method"], row["subject"], row["address"], row["outcome"]) == (
        "landing.landing.delete",
        "page:999",
        "127.0.0.1",
        "LANDING_NOT_EXIST",
    )
