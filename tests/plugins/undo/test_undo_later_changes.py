"""Changes since a call, or between calls of one id, are merged or refused, and never lost."""

from typing import Any

import pytest
from conftest import MakeService
from contract.test_undo import UNDO, rows
from contract.worlds import block, page, user, world
from plugins.undo.test_undo import EDITOR, NODES, OTHER, content, edit, only_sqlite, undo
from plugins.undo.test_undo_callers import EDITORS, send

from landyard.testing import WEBHOOK, Answer, Service

UPDATE = "landing.landing.update"
ONE = Answer(200, {}, "one")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(page(10, block(100), block(101)), page(11, block(110)))
    made["users"].append(user(OTHER, sites_access=True, rights={"*": ["edit", "settings"]}))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    made["webhooks"].append({"user": OTHER, "code": EDITOR, "scopes": ["landing"]})
    return make_service(world=made)


def change(service: Service, node: str, value: Any) -> None:
    """Edit a block under the id `one`."""
    params = {"lid": 10, "block": 100, "data": {node: value}}
    assert send(service, "one", NODES, params).result


def field(name: str) -> dict[str, Any]:
    return {"lid": 10, "fields": {"ADDITIONAL_FIELDS": {name: "value"}}}


def draft_of(service: Service, name: str) -> Any:
    """Read a column of block 100."""
    with service.kernel.store.unit(writes=False) as unit:
        query = f"SELECT {name} FROM landing_block WHERE id = 100"
        return unit.connection.exec_driver_sql(query).scalar_one()


def test_what_others_edited_between_two_calls_of_one_id_stays(service: Service) -> None:
    before = content(service)
    change(service, ".title", "Mine")
    edit(service, "Theirs", ".text@1", **EDITORS)
    theirs = before.replace("Two", "Theirs")
    change(service, ".go", {"text": "Mine too"})
    made = content(service)

    undone = undo(service, ONE)
    assert undone.status == 200
    assert content(service) == theirs
    assert undo(service, undone).status == 200
    assert content(service) == made


def test_the_same_place_edited_between_two_calls_of_one_id_is_refused(service: Service) -> None:
    change(service, ".title", "Mine")
    theirs = edit(service, "Theirs", **EDITORS)
    change(service, ".title", "Mine too")
    before = rows(service)

    answer = undo(service, ONE)

    assert answer.error == "UNDO_CONFLICT"
    (row, *_) = answer.body["error_data"]["rows"]
    assert [each["id"] for each in row["calls"]] == [theirs.request_id]
    assert rows(service) == before


def test_an_undone_edit_between_two_calls_of_one_id_does_not_count(service: Service) -> None:
    before = rows(service)
    change(service, ".title", "Mine")
    theirs = edit(service, "Theirs", **EDITORS)
    assert undo(service, theirs, **EDITORS).status == 200
    change(service, ".title", "Mine too")

    assert undo(service, ONE).status == 200
    assert rows(service) == before


def test_keys_that_others_set_between_two_calls_of_one_id_stay(service: Service) -> None:
    send(service, "one", UPDATE, field("METAOG_TITLE"))
    service.result(UPDATE, field("METAMAIN_TITLE"), **EDITORS)
    send(service, "one", UPDATE, field("METAOG_DESCRIPTION"))

    assert undo(service, ONE).status == 200
    with service.kernel.store.unit(writes=False) as unit:
        query = "SELECT additional_fields FROM landing_page WHERE id = 10"
        found = str(unit.connection.exec_driver_sql(query).scalar_one())
    assert "METAMAIN_TITLE" in found
    assert "METAOG" not in found


def test_a_block_hidden_and_shown_since_is_a_conflict(service: Service) -> None:
    hidden = service.call("landing.landing.hideblock", {"lid": 10, "block": 100})
    shown = service.call("landing.landing.showblock", {"lid": 10, "block": 100})

    refused = undo(service, hidden)
    assert refused.error == "UNDO_CONFLICT"
    columns = {each["table"]: each["columns"] for each in refused.body["error_data"]["rows"]}
    assert columns == {"landing_block": ["active"]}
    assert undo(service, shown).status == 200
    assert undo(service, hidden).status == 200
    assert draft_of(service, "active")


@pytest.mark.parametrize("values", [("1", "2", "1"), ("1", "Old"), ("1", "Old", "1")])
def test_a_text_that_was_changed_and_restored_is_a_conflict_for_a_while(
    service: Service, values: tuple[str, ...]
) -> None:
    before = rows(service)
    edits = [edit(service, value) for value in values]

    assert undo(service, edits[0]).error == "UNDO_CONFLICT"
    for each in reversed(edits):
        assert undo(service, each).status == 200
    assert rows(service) == before


def test_an_edit_between_a_call_and_its_undo_is_merged(service: Service) -> None:
    before = content(service)
    first = edit(service, "1")
    second = edit(service, "2")
    edit(service, "Theirs", ".text", **EDITORS)
    assert undo(service, second).status == 200

    assert undo(service, first).status == 200

    assert content(service) == before.replace("One", "Theirs")


def test_an_edit_that_was_made_and_undone_meanwhile_still_counts(service: Service) -> None:
    first, second = edit(service, "1"), edit(service, "Any", ".text")
    edit(service, "2", **EDITORS)
    edit(service, "1", **EDITORS)
    assert undo(service, second).status == 200

    assert undo(service, first).error == "UNDO_CONFLICT"


def test_a_row_made_and_removed_since_is_a_conflict_for_a_while(service: Service) -> None:
    before = rows(service)
    params = {"lid": 10, "fields": {"CODE": "test.all"}}
    added = service.call("landing.landing.addblock", params)
    removed = service.call("landing.landing.deleteblock", {"lid": 10, "block": added.result})

    assert undo(service, added).error == "UNDO_CONFLICT"
    assert undo(service, removed).status == 200
    assert undo(service, added).status == 200
    assert rows(service) == before


def test_one_and_true_are_different_values(service: Service) -> None:
    def register(value: Any) -> Answer:
        fields = {"NAME": "One", "SECTIONS": "text", "PREVIEW": "https://pictures.example/a.png"}
        fields |= {"CONTENT": '<section class="landing-block"><p class="text">1</p></section>'}
        nodes = {".text": {"name": "Text", "type": "text"}}
        params = {"code": "one", "fields": fields, "manifest": {"nodes": nodes, "x": value}}
        answer = service.call("landing.repo.register", params)
        assert answer.error is None
        return answer

    register(1)
    kept = rows(service)
    assert undo(service, register(True)).status == 200
    assert rows(service) == kept


@only_sqlite
def test_an_undo_answers_its_changes(service: Service) -> None:
    mine = edit(service, "Mine")
    edit(service, "Theirs", ".text")

    merged = undo(service, mine).result["changes"]

    changes = [(each["table"], each["id"], each["kind"]) for each in merged]
    assert changes == [("landing_block", 100, "update"), ("landing_history", 3, "insert")]
    tried = service.call(UNDO, {"id": edit(service, "x").request_id, "dry_run": True})
    would = [(each["table"], each["kind"]) for each in tried.result["changes"]]
    assert would == [("landing_block", "update"), ("landing_history", "insert")]
