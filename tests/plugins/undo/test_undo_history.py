"""An undo of a call enters the page's history: all of it can be taken back and brought again."""

from typing import Any

import pytest
from conftest import MakeService
from contract.test_undo import UNDO, rows
from contract.worlds import block, page, world
from kernel.statements import noted
from plugins.undo.test_undo import NODES, NOW, content, edit, only_sqlite, undo
from sqlalchemy import Connection

from landyard.testing import WEBHOOK, Service
from landyard_content import history

BLOCK = {"lid": 10, "block": 100}
LIST = "landing.landing.history.getList"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = world(page(10, block(100), block(101)), page(11, block(110)))
    made["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    return make_service(world=made, now=NOW)


def draft(connection: Connection) -> Any:
    """The blocks of page 10, in their order."""
    query = (
        "SELECT id, content, active, deleted FROM landing_block"
        " WHERE page_id = 10 AND NOT public ORDER BY sort, id"
    )
    return [tuple(row) for row in connection.exec_driver_sql(query)]


def is_now(service: Service) -> Any:
    with service.kernel.store.unit(writes=False) as unit:
        return draft(unit.connection)


def goes_on(service: Service) -> bool:
    """Try to undo the whole history and to redo all of it."""
    with service.kernel.store.engine.connect() as connection:
        before = draft(connection)
        for way in (history.undo, history.redo):
            while way(connection, 10, NOW, 1) is not None:
                pass
        after = draft(connection)
        connection.rollback()
    return bool(after == before)


@pytest.mark.parametrize("others", [101, 100], ids=["another block", "another node"])
def test_an_undo_takes_one_statement_at_most_for_each_edit_of_others_since(
    service: Service, others: int
) -> None:
    counts = []
    for later in (4, 40):
        done = edit(service, f"Mine {later}")
        for number in range(later):
            sent = {"lid": 10, "block": others, "data": {".text": f"{later} {number}"}}
            service.result(NODES, sent)
        with noted(service.kernel.store) as statements:
            assert undo(service, done).status == 200
        counts.append(len(statements))

    assert counts[1] - counts[0] <= 36
    assert counts[0] < 60
    assert goes_on(service)


def move(service: Service, block_id: int, after_id: int) -> None:
    """Put a block of page 10 behind another one."""
    params = {"lid": 10, "block": block_id, "params": {"AFTER_ID": after_id}}
    service.result("landing.landing.moveblock", params)


def entries(service: Service, page_id: int = 10) -> list[dict[str, Any]]:
    """The history of a page, the oldest entry first."""
    listed: list[dict[str, Any]] = service.result(LIST, {"lid": page_id, "get_changes": 1})
    return listed[::-1]


def test_an_undo_adds_an_entry_and_leaves_the_others(service: Service) -> None:
    mine = edit(service, "A")
    edit(service, "B", ".text")
    before = entries(service)

    undone = undo(service, mine)
    (added,) = entries(service)[2:]

    assert entries(service)[:2] == before
    assert (added["method"], added["block"], added["changed"]) == (UNDO, 100, ["content"])
    assert [(each["before"], each["after"]) for each in added["changes"]] == [("A", "Old")]
    assert undo(service, undone).status == 200
    assert [each["undone"] for each in entries(service)] == [False] * 4
    assert goes_on(service)


def test_an_undo_of_an_edit_that_has_no_entry_has_none(service: Service) -> None:
    edit(service, "A")
    quiet = {**BLOCK, "data": {".text": "B"}, "preventHistory": 1}
    done = service.call(NODES, quiet)

    assert undo(service, done).status == 200

    assert len(entries(service)) == 1
    assert goes_on(service)


def test_an_undo_has_an_entry_for_each_block(service: Service) -> None:
    before = is_now(service)
    commands = [
        f"{NODES}?lid=10&block=100&data[.title]=1",
        f"{NODES}?lid=10&block=100&data[.text]=1",
        "landing.landing.upblock?lid=10&block=101",
        "landing.landing.addblock?lid=10&fields[CODE]=test.all",
        "landing.landing.deleteblock?lid=10&block=101",
        f"{NODES}?lid=11&block=110&data[.title]=1",
    ]
    done = service.call("batch", {"cmd": commands})
    assert len(done.result["result"]) == len(commands)
    made = is_now(service)

    undone = undo(service, done)

    assert is_now(service) == before
    assert sorted(each["block"] for each in entries(service)[5:]) == [
        100,
        101,
        done.result["result"][3],
    ]
    assert [each["block"] for each in entries(service, 11)] == [110, 110]
    assert goes_on(service)
    assert undo(service, undone).status == 200
    assert is_now(service) == made
    assert goes_on(service)


def test_a_page_that_was_undone_comes_back_without_its_history(service: Service) -> None:
    made = service.call("landing.landing.copy", {"lid": 10})
    listed = {"lid": made.result, "params": {"edit_mode": 1}}
    block_id = service.result("landing.block.getlist", listed)[0]["id"]
    sent = {"lid": made.result, "block": block_id, "data": {".title": "A"}}
    assert undo(service, service.call(NODES, sent)).status == 200
    assert len(entries(service, made.result)) == 2
    kept = rows(service)

    gone = undo(service, made)
    assert gone.status == 200
    assert undo(service, gone).status == 200

    assert rows(service) == kept
    assert entries(service, made.result) == []


def test_the_history_works_after_undos_in_any_order(service: Service) -> None:
    before = is_now(service)
    title, text = edit(service, "A"), edit(service, "B", ".text")
    of_text = undo(service, text)
    assert undo(service, title).status == 200
    assert is_now(service) == before

    assert undo(service, of_text).status == 200

    assert "B" in content(service)
    assert goes_on(service)


def test_the_history_works_after_an_undo_over_several_nodes(service: Service) -> None:
    edits = [edit(service, f"{at}", f".text@{at}") for at in range(3)]
    edit(service, "Last")

    for each in (edits[1], edits[0]):
        assert undo(service, each).status == 200
        assert goes_on(service)
    assert "Last" in content(service)


def test_an_undo_to_an_unrecorded_state_adds_no_entry(
    service: Service,
) -> None:
    edit(service, "A")
    not_told = {"lid": 10, "block": 100, "preventHistory": 1}
    # the value written by the entry is gone
    service.result(NODES, {**not_told, "data": {".title": "B"}})
    before = rows(service)
    again = service.call(NODES, {**not_told, "data": {".title": "A"}})

    assert undo(service, again).status == 200

    assert rows(service) == before
    assert len(entries(service)) == 1


def test_an_undone_move_before_the_move_of_another_block(service: Service) -> None:
    new = {"lid": 10, "fields": {"CODE": "test.all"}}
    service.result("landing.landing.addblock", new)
    moved = service.call("landing.landing.downblock", BLOCK)
    service.result("landing.landing.upblock", {"lid": 10, "block": 101})

    assert undo(service, moved).status == 200
    assert goes_on(service)


def test_an_undone_move_before_an_unrecorded_entry(service: Service) -> None:
    moved = service.call("landing.landing.downblock", BLOCK)
    fields = {"CODE": "test.all", "AFTER_ID": 100}
    other = service.call("landing.landing.addblock", {"lid": 10, "fields": fields})
    with service.kernel.store.engine.begin() as connection:
        unit = f"(SELECT unit FROM undo_entry WHERE request_id = '{other.request_id}')"
        connection.exec_driver_sql(f"DELETE FROM undo_entry WHERE unit = {unit}")

    assert undo(service, moved).status == 200
    assert goes_on(service)


def test_a_block_that_returned_to_its_place(service: Service) -> None:
    new = {"lid": 10, "fields": {"CODE": "test.all"}}
    added = service.result("landing.landing.addblock", new)
    ways = ("down", "down", "up")
    moves = [
        service.call(f"landing.landing.{way}block", {"lid": 10, "block": added}) for way in ways
    ]

    undo(service, moves[0])
    assert goes_on(service)
    for each in reversed(moves):
        assert undo(service, each).status == 200
        assert goes_on(service)


def test_a_call_undone_by_the_history_can_be_undone(service: Service) -> None:
    edit(service, "A")
    edit(service, "B", ".text")
    back = service.call("landing.landing.history.undo", {"lid": 10})
    edit(service, "C", ".text@2")

    assert undo(service, back).status == 200

    assert {"A", "B", "C"} <= {*content(service).replace("<", ">").split(">")}
    assert goes_on(service)


def test_an_undo_can_be_undone_after_an_edit_of_another_page(service: Service) -> None:
    edits = [edit(service, "A"), edit(service, "B", ".text")]
    made = is_now(service)
    undos = [undo(service, each) for each in reversed(edits)]
    params = {"lid": 11, "block": 110, "data": {".title": "Another"}}
    assert service.result(NODES, params)

    for each in reversed(undos):
        assert undo(service, each).status == 200
    assert is_now(service) == made
    assert goes_on(service)
    assert service.result("landing.landing.history.getList", {"lid": 11})


def test_an_undo_is_undone_and_made_anew(service: Service) -> None:
    before = content(service)
    mine = edit(service, "A")
    last = undo(service, mine)
    given = {"lid": 11, "block": 110, "data": {".title": "Another"}}
    assert service.result(NODES, given)
    assert undo(service, last).status == 200
    made = content(service)

    for count in (5, 7):
        first = undo(service, mine)
        assert first.status == 200
        assert content(service) == before
        assert undo(service, first).status == 200
        assert content(service) == made
        assert len(entries(service)) == count
    assert len(entries(service, 11)) == 1
    assert goes_on(service)


@pytest.mark.parametrize("way", ["undo", "redo"])
def test_a_step_of_the_history_is_undone_between_other_blocks(service: Service, way: str) -> None:
    for _ in range(3):
        service.result("landing.landing.addblock", {"lid": 10, "fields": {"CODE": "test.all"}})
    first = [each[0] for each in is_now(service)]
    move(service, first[3], 0)
    for name in ("undo", "redo")[: 1 + (way == "redo")]:
        before = [each[0] for each in is_now(service)]
        done = service.call(f"landing.landing.history.{name}", {"lid": 10})
    for _ in range(5):
        new = {"lid": 10, "fields": {"CODE": "test.all", "AFTER_ID": first[1]}}
        service.result("landing.landing.addblock", new)

    assert undo(service, done).status == 200

    assert [each[0] for each in is_now(service) if each[0] in before] == before


def test_a_step_of_the_history_is_undone_behind_one_that_was_given_up(service: Service) -> None:
    for _ in range(2):
        service.result("landing.landing.addblock", {"lid": 10, "fields": {"CODE": "test.all"}})
    one, *_, last = (each[0] for each in is_now(service))
    move(service, one, last)
    service.result("landing.landing.history.undo", lid=10)
    move(service, last, one)
    before = rows(service)
    done = service.call("landing.landing.history.undo", {"lid": 10})

    assert undo(service, done).status == 200

    assert rows(service) == before


def test_steps_of_the_history_in_a_batch_are_undone(service: Service) -> None:
    for _ in range(2):
        service.result("landing.landing.addblock", {"lid": 10, "fields": {"CODE": "test.all"}})
    one, two, three, _ = (each[0] for each in is_now(service))
    move(service, one, three)
    move(service, two, one)
    before = rows(service)
    done = service.call("batch", {"cmd": ["landing.landing.history.undo?lid=10"] * 2})

    assert undo(service, done).status == 200

    assert rows(service) == before
    assert goes_on(service)


def test_what_is_undone_of_a_block_that_is_marked_as_deleted(service: Service) -> None:
    hidden = service.call("landing.landing.hideblock", BLOCK)
    undone = undo(service, hidden)
    service.result("landing.landing.markdeletedblock", BLOCK)

    assert undo(service, undone).status == 200
    assert goes_on(service)
    assert undo(service, hidden).status == 200
    assert goes_on(service)


def test_a_call_restored_by_a_new_entry_can_be_undone(service: Service) -> None:
    title, text = edit(service, "A"), edit(service, "B", ".text")
    of_text = undo(service, text)
    undo(service, title)
    undo(service, of_text)

    assert undo(service, text).status == 200
    assert goes_on(service)


@only_sqlite
def test_ids_that_occur_in_several_entries(service: Service) -> None:
    before = is_now(service)
    calls = []
    for node in (".title", ".text", ".text@1"):
        calls.append(edit(service, "A", node))
        calls.append(undo(service, calls[-1]))
    for each in calls[1::2]:
        assert undo(service, each).status == 200
        assert goes_on(service)

    for each in calls[::2]:
        assert undo(service, each).status == 200
        assert goes_on(service)
    assert is_now(service) == before


def test_a_block_that_returns_to_another_page(service: Service) -> None:
    before = is_now(service)
    edit(service, "A")
    moved = service.call("landing.landing.moveblock", {"lid": 11, "block": 100})
    assert moved.error is None
    others = service.call(NODES, {"lid": 10, "block": 101, "data": {".title": "B"}})
    assert others.error is None

    assert undo(service, moved).status == 200

    assert [each[0] for each in is_now(service)] == [each[0] for each in before]
    assert goes_on(service)


@pytest.mark.parametrize("way", ["deleteblock", "upblock"])
def test_a_block_returns_between_its_former_neighbours(service: Service, way: str) -> None:
    for _ in range(3):
        service.result("landing.landing.addblock", {"lid": 10, "fields": {"CODE": "test.all"}})
    before = [each[0] for each in is_now(service)]
    done = service.call(f"landing.landing.{way}", {"lid": 10, "block": before[2]})
    assert done.error is None
    for _ in range(5):  # neighbours make room and get other sorts
        new = {"lid": 10, "fields": {"CODE": "test.all", "AFTER_ID": before[3]}}
        service.result("landing.landing.addblock", new)
        new = {"lid": 10, "fields": {"CODE": "test.all", "AFTER_ID": before[0]}}
        service.result("landing.landing.addblock", new)
    made = is_now(service)

    undone = undo(service, done)
    assert undone.status == 200

    assert [each[0] for each in is_now(service) if each[0] in before] == before
    assert goes_on(service)
    assert undo(service, undone).status == 200
    assert is_now(service) == made
    assert goes_on(service)


def test_a_block_returns_although_the_block_before_it_has_moved(service: Service) -> None:
    copied = service.call("landing.landing.copyblock", BLOCK)
    undone = undo(service, copied)
    service.result("landing.landing.upblock", {"lid": 10, "block": 101})

    assert undo(service, undone).status == 200

    assert [each[0] for each in is_now(service)] == [101, 100, copied.result]
    assert goes_on(service)


def test_a_move_that_was_taken_back_and_brought_again_is_undone(service: Service) -> None:
    before = is_now(service)
    params = {"lid": 10, "block": 100, "params": {"AFTER_ID": 101}}
    moved = service.call("landing.landing.moveblock", params)
    taken_back = service.call("landing.landing.history.undo", {"lid": 10})

    assert undo(service, taken_back).status == 200
    assert is_now(service) != before
    assert undo(service, moved).status == 200
    assert is_now(service) == before
    assert goes_on(service)
