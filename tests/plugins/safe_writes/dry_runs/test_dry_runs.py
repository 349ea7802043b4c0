"""Dry runs answer what a call would do and change, and keep nothing (part 11)."""

import threading
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import block, everything, page, world
from kernel.sample import Brings, Nothing, audit_all
from sqlalchemy import text

import landyard_content
import landyard_landing
import landyard_pages
import landyard_public
import landyard_safe_writes
import landyard_sitekit
from landyard import Call, MethodGroup, Plugin
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming

ADD = "landing.landing.add"
FIELDS = {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": "new"}}
NEW = {"table": "landing_page", "id": 11, "kind": "insert", "columns": []}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world(page(10, block(100), block(101))))


def dry(service: Service, method: str, **params: Any) -> Answer:
    return service.call(method, params, dry_run=True)


def test_a_dry_run_answers_the_same_as_the_call_that_follows(service: Service) -> None:
    before = everything(service)

    first, second = dry(service, ADD, **FIELDS), dry(service, ADD, **FIELDS)

    assert everything(service) == before
    assert (first.body["dry_run"], first.body["changes"]) == (True, [NEW])
    assert second.result == first.result
    assert service.result(ADD, FIELDS) == first.result


def test_an_update_lists_its_columns_and_a_removal_the_row(service: Service) -> None:
    trashed = dry(service, "landing.landing.markDelete", lid=10).body["changes"]
    removed = dry(service, "landing.landing.deleteblock", lid=10, block=100).body["changes"]

    assert {"deleted", "deleted_at"} <= {*trashed[0]["columns"]}
    assert (trashed[0]["table"], trashed[0]["id"], trashed[0]["kind"]) == (
        *("landing_page", 10),
        "update",
    )
    assert ("landing_block", 100, "delete") in {
        (each["table"], each["id"], each["kind"]) for each in removed
    }


def test_the_commands_of_a_batch_see_each_other(service: Service) -> None:
    commands = [f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7", "landing.landing.copy?lid=$result[0]"]
    before = everything(service)

    answer = dry(service, "batch", cmd=[*commands, "landing.landing.copy?lid=99"])

    assert answer.result["result"] == [11, 12]
    assert answer.result["result_error"]["2"]["error"] == "LANDING_NOT_EXIST"
    assert [each["id"] for each in answer.body["changes"]] == [11, 12]
    assert everything(service) == before


ANEW = (
    "DELETE FROM landing_page WHERE id = 11",
    "INSERT INTO landing_page SELECT * FROM kept",
)
COPY = "CREATE TEMP TABLE kept AS SELECT * FROM landing_page WHERE id = 11"


@pytest.mark.parametrize(
    ("between", "changes"),
    [
        ("SELECT 1", []),
        ("UPDATE kept SET title = 'New', sitemap = 'N'", ["sitemap", "title"]),
        ("UPDATE kept SET additional_fields = '{\"A\": 1}'", ["additional_fields"]),
        ("UPDATE kept SET deleted_at = '2026-01-01'", ["deleted_at"]),
    ],
)
def test_a_replaced_row_lists_its_changed_columns(
    make_service: MakeService, between: str, changes: list[str]
) -> None:
    group = MethodGroup()

    @group.method("probe.anew", writes=True)
    def anew(call: Call, params: Nothing) -> None:
        """Delete a row and insert it again."""
        for statement in (COPY, between, *ANEW, "DROP TABLE kept"):
            call.connection.exec_driver_sql(statement)

    plugins = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_safe_writes,
        Plugin("probe", Brings(group)),
    ]
    service = make_service(plugins, world=world(page(10), page(11)))

    listed = dry(service, "probe.anew").body["changes"]

    row = {"table": "landing_page", "id": 11, "kind": "update", "columns": changes}
    assert [each for each in listed if each["table"] == "landing_page"] == [row] * bool(changes)


def test_a_dry_run_leaves_no_change_in_the_audit(service: Service) -> None:
    for atomic in (False, True):
        commands = ["landing.landing.copy?lid=99", f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7"]
        dry(service, "batch", cmd=commands, atomic=atomic)
    dry(service, "batch", cmd=commands * 60, halt=True)
    service.call("landing.landing.copy", lid=98)

    audit_all(service)
    with service.kernel.store.session() as session:
        kept = session.execute(text("SELECT method, outcome FROM audit_row")).all()
    assert list(map(tuple, kept)) == [("landing.landing.copy", "LANDING_NOT_EXIST")]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_failed_atomic_batch_answers_only_its_failure(service: Service) -> None:
    commands = [f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7", "landing.landing.copy?lid=99"]

    answer = dry(service, "batch", cmd=commands, atomic=True)

    assert answer.result["result"] == []
    assert answer.result["result_error"]["1"]["error"] == "LANDING_NOT_EXIST"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_refused_call_is_refused_in_a_dry_run(service: Service) -> None:
    assert dry(service, "landing.landing.copy", lid=99).error == "LANDING_NOT_EXIST"
    assert dry(service, ADD).error == service.call(ADD).error
    upload = dry(service, "landing.block.uploadfile", block=100, picture=["a.gif", "R0lG"])
    assert (upload.status, upload.error) == (400, "DRY_RUN_NOT_POSSIBLE")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_reading_call_is_answered_as_usual(service: Service) -> None:
    answer = dry(service, "landing.block.getlist", lid=10)

    assert (answer.body["dry_run"], answer.body["changes"]) == (True, [])
    assert answer.result == service.result("landing.block.getlist", lid=10)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_header_asks_for_a_dry_run_and_an_unclear_value_is_refused(
    service: Service,
) -> None:
    def send(said: str) -> Answer:
        path, asked = f"/1/{WEBHOOK}/landing.landing.copy", {"dry_run": said}
        return service.send(Incoming("POST", path, body=b'{"lid": 10}', options=asked))

    before = everything(service)
    assert send("true").body["dry_run"] is True
    assert send("perhaps").error == "INVALID_REQUEST"
    assert everything(service) == before
    assert "dry_run" not in send("0").body
    assert everything(service) != before


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("query", "header", "body"),
    [
        (b"dry_run", None, b""),
        (b"dry_run=", None, b""),
        (b"", "", b""),
        (b"", "true, false", b""),
        (b"dry_run=0", "true", b""),
        (b"dry_run=1", "no", b""),
        (b"dry_run=1", None, b'{"dry_run": false}'),
        (b"", "1", b'{"dry_run": null}'),
    ],
)
def test_a_misspelt_request_for_a_dry_run_changes_nothing(
    service: Service, query: bytes, header: str | None, body: bytes
) -> None:
    options = {} if header is None else {"dry_run": header}
    before = everything(service)
    path, sent = f"/1/{WEBHOOK}/landing.landing.copy", b"lid=10&" + query
    incoming = Incoming("POST", path, query=sent, body=body, options=options)

    assert service.send(incoming).error == "INVALID_REQUEST"
    assert everything(service) == before


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_where_the_plugin_is_off_nothing_is_done(make_service: MakeService) -> None:
    needed = [landyard_content, landyard_landing, landyard_public, landyard_sitekit, landyard_pages]
    off = {"off": ["safe_writes"]}
    plugins = [*needed, landyard_safe_writes]
    service = make_service(plugins, world=world(page(10)), plugins=off)
    before = everything(service)

    for option in ({"dry_run": True}, {"idempotency_key": "k"}):
        answer = service.call("landing.landing.copy", {"lid": 10, **option})
        assert (answer.status, answer.error) == (400, "INVALID_REQUEST")
    assert everything(service) == before


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_dry_run_uses_up_no_idempotency_key(service: Service) -> None:
    for _ in range(2):
        assert dry(service, ADD, **FIELDS, idempotency_key="k1").body["changes"] == [NEW]
    assert service.result(ADD, FIELDS, idempotency_key="k1") == 11


def test_other_writers_go_on_during_a_dry_run(service: Service) -> None:
    answers: list[Answer] = []

    def work(method: str, **params: Any) -> None:
        answers.extend(service.call(method, params) for _ in range(5))

    fields = {"fields": {"TITLE": "x", "SITE_ID": 7}}
    threads = [threading.Thread(target=work, args=[ADD], kwargs=fields) for _ in range(3)]
    threads.append(threading.Thread(target=work, args=[ADD], kwargs={**fields, "dry_run": True}))
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    kept = [each.result for each in answers if "dry_run" not in each.body]
    assert sorted(kept) == list(range(11, 26))
    assert len(answers) == 20
