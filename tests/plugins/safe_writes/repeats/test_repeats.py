"""Idempotency keys: a call that is sent again with its key is done once (part 11)."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from conftest import MakeService
from contract.worlds import (
    CALLERS,
    EVERY_RIGHT,
    VIEWER,
    as_user,
    block,
    everything,
    page,
    world,
)
from msgspec import Struct

import landyard_safe_writes
from landyard import (
    Call,
    Credential,
    Download,
    Failure,
    MethodGroup,
    NoContent,
    Plugin,
    Request,
    hookimpl,
)
from landyard.storage.schema import alembic_config
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming
from landyard_authoring.database import drift
from landyard_safe_writes.repeats.tables import KEY

ADD = "landing.landing.add"
FIELDS = {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": "new"}}
PATH = f"/1/{WEBHOOK}/"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world(page(10, block(100)), page(11)))


class Nothing(Struct, frozen=True):
    """No parameters."""


def until(holds: Callable[[], bool]) -> None:
    """Wait for what happens behind an answer."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def pages(service: Service) -> int:
    return len(service.result("landing.landing.getList", params={"select": ["ID"]}))


def send(service: Service, method: str, key: Any, **params: Any) -> Answer:
    return service.call(method, params, idempotency_key=key)


def test_a_repeat_is_answered_as_the_first_and_done_once(service: Service) -> None:
    before = pages(service)

    first = send(service, ADD, "k1", **FIELDS)
    again = send(service, ADD, "k1", **FIELDS)

    assert again.result == first.result
    assert pages(service) == before + 1


@pytest.mark.parametrize(
    ("method", "sent"),
    [
        ("landyard.token.add", {"user_id": 1, "scopes": ["landing"]}),
        ("landyard.draft.share", {"lid": 10}),
        ("landyard.password.set", {"user_id": 1, "password": "correct horse battery"}),
    ],
)
def test_a_secret_is_stored_nowhere_and_made_once(
    make_service: MakeService, method: str, sent: dict[str, Any]
) -> None:
    made = world(page(10, block(100)))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "console", "landing"]}]
    service = make_service(world=made)

    first = send(service, method, "k1", **sent)
    again = send(service, method, "k1", **sent)
    others = send(service, method, "k1", **{**sent, "more": 1})

    assert first.status == 200
    assert (again.error, others.error) == ("IDEMPOTENCY_ANSWER_LOST",) * 2
    assert first.request_id in again.body["error_description"]
    assert first.request_id in others.body["error_description"]
    with service.kernel.store.unit(writes=False) as unit:
        (kept,) = unit.connection.execute(sa.select(KEY.digest, KEY.answer)).all()
    unlike = send(service, method, "k2", **sent, current="correct horse battery")
    assert unlike.status == 200
    with service.kernel.store.unit(writes=False) as unit:
        assert set(unit.connection.execute(sa.select(KEY.digest, KEY.answer)).all()) == {kept}


def test_a_key_of_a_header_is_the_same_key(service: Service) -> None:
    for key in ("k1", '"k1"'):
        incoming = Incoming(
            "POST",
            f"{PATH}{ADD}",
            body=b'{"fields": {"TITLE": "New", "SITE_ID": 7}}',
            options={"idempotency_key": key},
        )
        assert service.send(incoming).status == 200
    assert send(service, ADD, "k1", fields={"TITLE": "New", "SITE_ID": 7}).status == 200
    assert pages(service) == 3


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_used_key_with_another_call_is_refused_by_name(service: Service) -> None:
    send(service, ADD, "k1", **FIELDS)
    before = everything(service)

    other = send(service, ADD, "k1", fields={**FIELDS["fields"], "TITLE": "Other"})
    method = send(service, "landing.landing.markDelete", "k1", lid=10)

    for answer in (other, method):
        assert (answer.status, answer.error) == (409, "IDEMPOTENCY_KEY_REUSED")
    assert "parameters" in other.body["error_description"]
    assert ADD in method.body["error_description"]
    assert everything(service) == before


def test_a_failed_call_uses_up_no_key(service: Service) -> None:
    assert send(service, "landing.landing.copy", "k1", lid=99).error == "LANDING_NOT_EXIST"
    assert send(service, "landing.landing.copy", "k1", lid=10).status == 200


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb", "\u00e9", 1, ["k"], [], {}, False])
def test_an_invalid_key_is_refused(service: Service, key: Any) -> None:
    commands = [f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7"]

    assert send(service, ADD, key, **FIELDS).error == "INVALID_REQUEST"
    assert send(service, "batch", key, cmd=commands).error == "INVALID_REQUEST"
    assert pages(service) == 2


def test_null_counts_as_no_key(service: Service) -> None:
    for _ in range(2):
        assert send(service, ADD, None, **FIELDS).status == 200
    command = f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7"
    assert not send(service, "batch", None, cmd=[command, command]).result["result_error"]
    assert pages(service) == 6


def test_concurrent_calls_with_one_key_are_done_once(service: Service) -> None:
    answers: list[Answer] = []
    threads = [
        threading.Thread(target=lambda: answers.append(send(service, ADD, "k1", **FIELDS)))
        for _ in range(50)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len({each.result for each in answers}) == 1
    assert len(answers) == 50
    assert pages(service) == 3


def test_each_command_of_a_batch_has_a_key(service: Service) -> None:
    made = f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7"
    gone = "landing.landing.markDelete?lid=99"

    first = send(service, "batch", "k1", cmd={"a": made, "b": gone}).result
    again = send(service, "batch", "k1", cmd={"a": made, "b": gone, "c": made}).result
    alone = service.call("batch", cmd=[f"{made}&idempotency_key=k1/c"]).result

    assert again["result"]["a"] == first["result"]["a"]
    assert again["result_error"]["b"]["error"] == "ACCESS_DENIED"
    assert alone["result"] == [again["result"]["c"]]
    assert pages(service) == 4


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_commands_of_two_batches_have_different_keys(service: Service) -> None:
    made = f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7"
    sent = [("a", "b/c"), ("a/b", "c"), ("a", "b%2Fc"), ('"a"', "b/c")]

    results = [send(service, "batch", key, cmd={name: made}).result["result"] for key, name in sent]

    ids = [each[name] for each, (_, name) in zip(results, sent, strict=True)]
    assert len({*ids[:3]}) == 3
    assert ids[3] == ids[0]  # the key in a header may be quoted


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_an_atomic_batch_is_repeated_whole(service: Service) -> None:
    made = [f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7"] * 2

    first = send(service, "batch", "k1", cmd=made, atomic=True).result["result"]
    assert send(service, "batch", "k1", cmd=made, atomic=True).result["result"] == first
    assert pages(service) == 4


UPLOAD = {
    "block": 100,
    "picture": ["a.gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"],
}


def upload_again(service: Service) -> Failure:
    """Send an upload again; return the refusal, with its `Retry-After`."""
    request = Request(
        "landing.block.uploadfile",
        UPLOAD,
        Credential("webhook", WEBHOOK, "1"),
        options={"idempotency_key": "k1"},
    )
    reply = service.kernel.dispatch(request)
    assert isinstance(reply, Failure)
    return reply


def test_an_upload_is_done_once(service: Service) -> None:
    first = send(service, "landing.block.uploadfile", "k1", **UPLOAD)
    again = send(service, "landing.block.uploadfile", "k1", **UPLOAD)
    other = send(service, "landing.block.uploadfile", "k1", **UPLOAD, temp=True)

    assert again.result == first.result
    assert other.error == "IDEMPOTENCY_KEY_REUSED"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_failed_upload_can_be_tried_again(service: Service) -> None:
    wrong = {"block": 100, "picture": ["a.gif", "R0lG"]}
    assert send(service, "landing.block.uploadfile", "k1", **wrong).error == "FILE_ERROR"

    until(lambda: send(service, "landing.block.uploadfile", "k1", **UPLOAD).status == 200)


def test_an_upload_whose_process_died_is_not_repeated(service: Service) -> None:
    service.now = service.kernel.now()
    send(service, "landing.block.uploadfile", "k1", **UPLOAD)
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.update(KEY.key.table).values(answer=None))

    at_once = upload_again(service)
    service.later(minutes=3)
    late = send(service, "landing.block.uploadfile", "k1", **UPLOAD)

    # once the service knows that the process died
    assert (at_once.error, at_once.retry_after) == ("OVERLOAD_LIMIT", 120 + 30)
    assert (late.status, late.error) == (409, "IDEMPOTENCY_ANSWER_LOST")


ELSEWHERE = """
import sys, time
from pathlib import Path
from landyard_safe_writes.repeats.live_processes import Holders

print(Holders(Path(sys.argv[1])).mine, flush=True)
time.sleep(60)
"""


def test_the_end_of_a_process_is_noticed_at_once(service: Service) -> None:
    """Another worker is killed while it runs a call."""
    send(service, "landing.block.uploadfile", "k1", **UPLOAD)
    data = str(service.kernel.settings.data)
    other = subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE, data], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    holder = other.stdout.readline().strip()
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.update(KEY.key.table).values(answer=None, holder=holder))

    alive = upload_again(service)
    other.kill()
    other.communicate()
    ended = upload_again(service)

    assert (alive.error, alive.retry_after) == ("OVERLOAD_LIMIT", 1)
    assert (ended.status, ended.error) == (409, "IDEMPOTENCY_ANSWER_LOST")


def test_keys_of_the_previous_version_are_kept(service: Service) -> None:
    first = send(service, ADD, "k1", **FIELDS)
    store, schema = service.kernel.store, service.kernel.schema
    (repeats,) = (each for each in schema.branches if each.branch == "repeats")
    with store.rebuilding() as connection:
        command.downgrade(alembic_config(repeats, connection), "repeats_0001")
    assert schema.behind(store) == ["repeats_0002"]

    schema.upgrade(store)

    assert drift(service.kernel) == []
    assert send(service, ADD, "k1", **FIELDS).result == first.result


def test_a_call_with_a_future_start_time_does_not_count_as_running(service: Service) -> None:
    service.now = service.kernel.now()
    service.later(hours=5)
    send(service, "landing.block.uploadfile", "k1", **UPLOAD)
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.update(KEY.key.table).values(answer=None))
    service.later(hours=-5)

    assert send(service, "landing.block.uploadfile", "k1", **UPLOAD).status == 409


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_key_is_kept_for_a_day(service: Service) -> None:
    service.now = service.kernel.now()
    send(service, ADD, "k1", **FIELDS)
    service.later(hours=23)
    service.run_jobs()
    assert send(service, ADD, "k1", fields={"TITLE": "x", "SITE_ID": 7}).status == 409
    service.later(hours=2)
    service.run_jobs()
    assert send(service, ADD, "k1", fields={"TITLE": "x", "SITE_ID": 7}).status == 200


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_key_belongs_to_its_caller(make_service: MakeService) -> None:
    editor = {**CALLERS[0], "rights": {"*": EVERY_RIGHT}}
    service = make_service(world=world(page(10), users=[editor]))

    mine = service.result("landing.landing.copy", lid=10, idempotency_key="k1")
    theirs = service.call(
        "landing.landing.copy", {"lid": 10, "idempotency_key": "k1"}, **as_user(VIEWER)
    )

    assert theirs.result != mine


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_repeat_makes_no_row_in_the_audit(service: Service) -> None:
    for _ in range(3):
        send(service, ADD, "k1", **FIELDS)
        send(service, "landing.block.getlist", "k1", lid=10)  # a reading call ignores the key

    with service.kernel.store.session() as session:
        rows = session.execute(sa.text("SELECT method, outcome FROM audit_row")).all()
    assert list(map(tuple, rows)) == [(ADD, "ok")]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_call_whose_answer_cannot_be_stored_is_refused(make_service: MakeService) -> None:
    probe = MethodGroup()

    @probe.method("probe.large", writes=True)
    def large(_call: Call, _params: Nothing) -> str:
        """Answer a long text."""
        return "x" * 2_000

    @probe.method("probe.file", writes=True)
    def file(_call: Call, _params: Nothing) -> Download:
        """Answer a file."""
        return Download(b"x")

    @probe.method("probe.nothing", writes=True)
    def nothing(_call: Call, _params: Nothing) -> NoContent:
        """Answer nothing."""
        return NoContent()

    plugin = SimpleNamespace(register_methods=hookimpl(lambda: probe))
    plugin.register_methods.__name__ = "register_methods"
    service = make_service(
        [Plugin("probe", plugin), Plugin("repeats", landyard_safe_writes)],
        repeats={"answer_bytes": 1_000},
    )

    for _ in range(2):
        assert send(service, "probe.large", "large").error == "INVALID_REQUEST"
        assert send(service, "probe.file", "file").error == "INVALID_REQUEST"
        assert send(service, "probe.nothing", "k1").status == 204


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_web_application_reads_the_headers(service: Service) -> None:
    path = f"/rest{PATH}{ADD}"

    tried = service.request("POST", path, json=FIELDS, headers={"Dry-Run": "1"})
    first, again = (
        service.request("POST", path, json=FIELDS, headers={"Idempotency-Key": '"k1"'})
        for _ in range(2)
    )

    assert tried.json()["dry_run"] is True
    assert tried.json()["result"] == first.json()["result"] == again.json()["result"]
    assert "landyard-warning" not in first.headers
    assert again.headers["landyard-warning"].startswith("repeated: ")
