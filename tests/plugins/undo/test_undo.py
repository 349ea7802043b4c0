"""Undo reverses a call that has written, by the id of its request (part 11)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.test_undo import UNDO, rows
from contract.worlds import block, page, user, world
from kernel.commands import done, landyard, listing
from structlog.testing import capture_logs

from landyard import Kernel, Settings, UserAccessError
from landyard.testing import WEBHOOK, Answer, Service
from landyard_undo.watching import Watch

ADD = "landing.landing.add"
NODES = "landing.block.updatenodes"
FIELDS = {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": "new"}}
OTHER, EDITOR = 12, f"{WEBHOOK}-of-the-editor"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
only_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    editor = user(OTHER, sites_access=True, rights={"*": ["edit", "publish", "delete"]})
    made = world(page(10, block(100), block(101)), page(11, block(110)))
    made["users"].append(editor)
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    made["webhooks"].append({"user": OTHER, "code": EDITOR, "scopes": ["landing"]})
    return make_service(world=made, now=NOW)


def undo(service: Service, answer: Answer, **more: Any) -> Answer:
    return service.call(UNDO, {"id": answer.request_id}, **more)


def edit(service: Service, value: Any, node: str = ".title", **more: Any) -> Answer:
    answer = service.call(NODES, {"lid": 10, "block": 100, "data": {node: value}}, **more)
    assert answer.result
    return answer


def content(service: Service, block_id: int = 100) -> str:
    params = {"lid": 10, "params": {"edit_mode": 1, "get_content": 1}}
    blocks = service.result("landing.block.getlist", params)
    return next(str(each["content"]) for each in blocks if each["id"] == block_id)


def test_a_call_is_undone_and_redone(service: Service) -> None:
    before = rows(service)
    done = service.call(ADD, FIELDS)
    made = rows(service)

    first = undo(service, done)
    undone = rows(service)
    second = undo(service, first)

    assert undone == before
    assert second.result["undone"] == first.result["id"] == first.request_id
    assert rows(service) == made


def test_workers_that_start_recording_at_once_all_succeed(database: dict[str, Any]) -> None:
    kernels = [Kernel(Settings(**database)) for _ in range(4)]
    for kernel in kernels:
        kernel.prepare()
    watches = [each for it in kernels for each in it.registry.kept if isinstance(each, Watch)]
    method = kernels[0].methods.find(NODES)
    with capture_logs() as logs, ThreadPoolExecutor(4) as threads:
        again = list(threads.map(lambda watch: watch.before_call(method), watches))
    for kernel in kernels:
        kernel.close()

    assert again == ["not again"] * 4
    assert [each["event"] for each in logs] == []


def test_a_batch_is_undone_as_one(service: Service) -> None:
    before = rows(service)
    commands = [
        f"{ADD}?fields[TITLE]=x&fields[SITE_ID]=7",
        "landing.landing.copy?lid=$result[0]",
        "landing.landing.markDelete?lid=10",
    ]
    for atomic in (True, False):
        done = service.call("batch", {"cmd": commands, "atomic": atomic})
        assert len(done.result["result"]) == 3

        undone = undo(service, done).result

        assert {each["table"] for each in undone["changes"]} >= {"landing_page"}
        assert rows(service) == before


def test_changes_of_others_at_other_places_stay(service: Service) -> None:
    mine = edit(service, "Mine")
    edit(service, "Theirs", ".text", webhook=EDITOR, user=OTHER)
    service.result("landing.landing.hideblock", {"lid": 10, "block": 100})

    assert undo(service, mine).result["changes"]

    assert "Mine" not in content(service)
    assert "Theirs" in content(service)


def test_a_place_changed_since_is_refused_with_the_name_of_its_editor(service: Service) -> None:
    mine = edit(service, "Mine")
    theirs = edit(service, "Theirs", webhook=EDITOR, user=OTHER)
    before = rows(service)

    answer = undo(service, mine)

    assert (answer.status, answer.error) == (400, "UNDO_CONFLICT")
    row = next(each for each in answer.body["error_data"]["rows"] if each["id"] == 100)
    assert (row["table"], row["columns"]) == ("landing_block", ["content"])
    assert row["calls"][0] == {
        "id": theirs.request_id,
        "method": NODES,
        "user": OTHER,
        "at": "2026-11-20T12:00:00Z",
    }
    assert rows(service) == before


def test_history_and_undo_agree(service: Service) -> None:
    before = content(service)
    mine = edit(service, "Mine")
    edit(service, "Theirs", ".text")
    undo(service, mine)
    merged = content(service)

    for _ in range(3):
        service.result("landing.landing.history.undo", {"lid": 10})
    assert content(service) == before
    for _ in range(3):
        service.result("landing.landing.history.redo", {"lid": 10})
    assert content(service) == merged


def test_a_new_row_that_others_use_is_not_removed(service: Service) -> None:
    made = service.call(ADD, FIELDS)
    block_of_others = {"fields": {"CODE": "test.all"}, "lid": made.result}
    service.result("landing.landing.addblock", block_of_others)

    assert undo(service, made).error == "UNDO_CONFLICT"
    folder = service.call("landing.site.addFolder", {"siteId": 7, "fields": {"TITLE": "f"}})
    inside = {"fields": {"TITLE": "x", "SITE_ID": 7, "FOLDER_ID": folder.result}}
    service.result(ADD, inside)
    assert undo(service, folder).error == "UNDO_CONFLICT"


def test_a_change_outside_of_calls_is_a_conflict_too(service: Service) -> None:
    mine = edit(service, "Mine")
    with service.kernel.store.engine.begin() as connection:
        changed = "UPDATE landing_block SET content = '<p>x</p>' WHERE id = 100"
        connection.execute(sa.text(changed))

    answer = undo(service, mine)

    assert answer.error == "UNDO_CONFLICT"
    assert answer.body["error_data"]["rows"][0]["calls"] == []


def test_a_new_row_changed_by_another_process_is_removed_and_restored_with_the_change(
    service: Service,
) -> None:
    made = service.call(ADD, FIELDS)
    others = sa.create_engine(service.kernel.store.engine.url)
    with others.begin() as connection:
        changed = f"UPDATE landing_page SET title = 'By hand' WHERE id = {made.result}"
        connection.execute(sa.text(changed))
    others.dispose()
    before = rows(service)

    undone = undo(service, made)
    assert undone.status == 200
    assert undo(service, undone).status == 200
    assert rows(service) == before


@only_sqlite
def test_only_the_caller_and_administrators_may_undo_a_call(service: Service) -> None:
    mine, theirs = edit(service, "Mine"), edit(service, "x", ".text", webhook=EDITOR, user=OTHER)

    assert undo(service, mine, webhook=EDITOR, user=OTHER).error == "CALL_NOT_KEPT"
    assert service.call(UNDO, {"id": "nothing"}).error == "CALL_NOT_KEPT"
    assert undo(service, theirs).status == 200
    listed = service.result("landyard.call.list", webhook=EDITOR, user=OTHER)
    assert [(each["id"], each["method"]) for each in listed] == [(theirs.request_id, NODES)]
    assert listed[0]["undone_by"]
    every = service.result("landyard.call.list")
    assert [each["method"] for each in every] == [UNDO, NODES, NODES]


@only_sqlite
@pytest.mark.parametrize("scopes", [[], ["landing"]])
def test_without_the_scope_admin_an_administrator_finds_only_own_calls(
    service: Service, scopes: list[str]
) -> None:
    mine = edit(service, "Mine")
    edit(service, "x", ".text", webhook=EDITOR, user=OTHER)
    code = "webhook-of-few-scopes-0123456789"
    service.load({"webhooks": [{"user": 1, "code": code, "scopes": scopes}]})

    listed = service.result("landyard.call.list", webhook=code)
    assert [each["id"] for each in listed] == [mine.request_id]


@only_sqlite
def test_undoing_needs_the_rights_of_the_call(service: Service) -> None:
    theirs = edit(service, "x", webhook=EDITOR, user=OTHER)
    rights = {"user_id": OTHER, "sites_access": True, "rights": {"*": ["view"]}}
    service.result("landyard.right.set", {**rights})

    assert undo(service, theirs, webhook=EDITOR, user=OTHER).error == UserAccessError.code


@only_sqlite
def test_rights_and_credentials_are_not_restored(service: Service) -> None:
    rights = {"user_id": OTHER, "sites_access": False}
    answer = service.call("landyard.right.set", rights)
    revoked = service.call("landyard.webhook.revoke", {"id": 2})
    assert (answer.status, revoked.status) == (200, 200)

    for each in (answer, revoked):
        assert undo(service, each).error == "UNDO_NOT_POSSIBLE"
    with service.kernel.store.unit(writes=False) as unit:
        kept = unit.connection.exec_driver_sql("SELECT before, after FROM undo_entry").all()
    assert "digest" not in str(kept)


@only_sqlite
def test_a_final_call_cannot_be_undone(service: Service) -> None:
    gone = service.call("landing.landing.delete", {"lid": 11})

    assert undo(service, gone).error == "UNDO_NOT_POSSIBLE"
    batch = service.call("batch", {"cmd": ["landing.landing.delete?lid=10"], "atomic": True})
    assert undo(service, batch).error == "UNDO_NOT_POSSIBLE"


@only_sqlite
def test_a_call_is_undone_once(service: Service) -> None:
    done = service.call(ADD, FIELDS)
    first = undo(service, done)
    assert undo(service, done).error == "UNDO_NOT_POSSIBLE"

    undo(service, first)

    assert undo(service, done).status == 200
    assert undo(service, first).error == "UNDO_NOT_POSSIBLE"


def test_a_dry_run_of_an_undo_keeps_nothing(service: Service) -> None:
    done = service.call(ADD, FIELDS)
    before = rows(service)

    answer = service.call(UNDO, {"id": done.request_id, "dry_run": True})

    assert [each["table"] for each in answer.body["changes"]] == ["landing_page"]
    assert rows(service) == before
    assert undo(service, done).status == 200


@only_sqlite
def test_a_file_is_kept_until_the_call_that_dropped_it_is_forgotten(service: Service) -> None:
    picture = ["a.gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"]
    kept = service.result("landing.block.uploadfile", block=100, picture=picture)
    edit(service, {"src": kept["src"], "alt": "A", "id": kept["id"]}, ".pic")
    removed = service.call("landing.landing.deleteblock", {"lid": 10, "block": 100})
    service.later(days=3)
    service.run_jobs()

    assert undo(service, removed).status == 200
    assert kept["src"] in content(service)
    assert service.get(kept["src"]).status_code == 200

    service.result("landing.landing.deleteblock", {"lid": 10, "block": 100})
    for _ in range(2):
        service.later(days=40)
        service.run_jobs()
    assert service.get(kept["src"]).status_code == 404


@only_sqlite
def test_an_undone_upload_expires_like_a_temporary_file(service: Service) -> None:
    picture = ["a.gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"]
    kept = service.call("landing.block.uploadfile", {"block": 100, "picture": picture})
    assert undo(service, kept).status == 200

    service.later(days=3)
    service.run_jobs()

    assert service.get(kept.result["src"]).status_code == 404


def test_old_calls_are_forgotten(service: Service) -> None:
    old = service.call(ADD, FIELDS)
    service.later(days=20)
    young = edit(service, "Mine")
    service.later(days=15)

    service.run_jobs()

    assert undo(service, old).error == "CALL_NOT_KEPT"
    assert undo(service, young).status == 200


@only_sqlite
def test_the_oldest_of_too_many_calls_are_forgotten(make_service: MakeService) -> None:
    service = make_service(world=world(page(10, block(100))), undo={"rows": 1_000})
    old = service.call(ADD, FIELDS)
    last = old
    for number in range(340):
        last = edit(service, f"x{number}")
    service.later(hours=2)

    service.run_jobs()

    assert undo(service, old).error == "CALL_NOT_KEPT"
    assert undo(service, last).status == 200


def test_nothing_is_recorded_while_the_plugin_is_off(service: Service) -> None:
    done = service.call(ADD, FIELDS)

    def count() -> int:
        with service.kernel.store.unit(writes=False) as unit:
            found = unit.connection.exec_driver_sql("SELECT count(*) FROM undo_entry")
            return int(found.scalar_one())

    def write_past_calls() -> None:
        with service.kernel.store.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE landing_block SET policy = policy + 1")

    before = count()
    write_past_calls()  # through a connection of its own, on SQLite
    assert count() > before

    service.result("landyard.plugin.disable", {"name": "undo"})
    service.kernel.lifecycle.refresh()
    before = count()
    edit(service, "Unseen")
    write_past_calls()
    assert count() == before

    service.result("landyard.plugin.enable", {"name": "undo"})
    service.kernel.lifecycle.refresh()
    edit(service, "Seen")
    assert count() > before
    assert undo(service, done).status == 200


def test_the_command_line_undoes_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with Service(world=world(page(10, block(100))), data=tmp_path) as service:
        before = rows(service)
        made = service.call(ADD, FIELDS)
        after = rows(service)

    listed = listing(landyard("undo", "--json"))
    tried = done(landyard("undo", made.request_id, "--dry-run"))
    output = done(landyard("undo", made.request_id))

    assert [(each["id"], each["method"]) for each in listed] == [(made.request_id, ADD)]
    assert "landing_page" in tried
    assert landyard("undo", "nothing").exit_code == 1
    with Service(world={}, data=tmp_path) as service:
        assert rows(service) == before
        done(landyard("undo", output.split()[-1]))
        assert rows(service) == after


def test_the_calls_about_one_page_can_be_listed(service: Service) -> None:
    edit(service, "Mine")
    other = service.call("landing.landing.publication", {"lid": 11})

    listed = service.result("landyard.call.list", {"subject": "page:11"})

    assert [each["id"] for each in listed] == [other.request_id]


def test_json_of_a_caller_is_not_mistaken_for_a_record_of_undo(make_service: MakeService) -> None:
    service = make_service(world=world(page(10, block(100))))
    fields = {"NAME": "Greeting", "DESCRIPTION": "Says hello", "SECTIONS": "cover"}
    fields |= {"PREVIEW": "https://pictures.example/hello.png"}
    fields |= {"CONTENT": '<section class="landing-block"><p class="text">Hello</p></section>'}
    params = {"code": "hello", "fields": fields, "manifest": {"nodes": {}, "landyard_excerpt": "x"}}
    first = service.call("landing.repo.register", params)
    kept = rows(service)
    second = service.call("landing.repo.register", params | {"manifest": {"nodes": {}}})
    assert (first.error, second.error) == (None, None)

    assert undo(service, second).error is None
    assert rows(service) == kept
