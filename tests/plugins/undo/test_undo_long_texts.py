"""Undo of long texts: the journal stores only the changed place."""

import json
import random
import sqlite3
from contextlib import closing

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.test_undo import rows
from contract.worlds import block, page, world
from msgspec.structs import replace
from plugins.undo.test_undo import content, edit, only_sqlite, undo

import landyard_undo.excerpts
from landyard.testing import WEBHOOK, Service
from landyard_undo.excerpts import EXCERPT, excerpts

LONG = "The tide comes in twice a day, é. " * 100
EBB = "UPDATE landing_block SET content = replace(content, 'tide', 'ebb') WHERE id = 100"
CHANGED = LONG.replace("twice", "once", 50)


def make(make_service: MakeService) -> Service:
    world_file = world(page(10, block(100), block(101)))
    world_file["webhooks"] = [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}]
    service = make_service(world=world_file)
    edit(service, LONG, ".text")
    edit(service, "Zero")
    return service


def test_edits_of_a_long_text_are_undone_in_any_order(make_service: MakeService) -> None:
    service = make(make_service)
    before = content(service)
    title, text = edit(service, "One"), edit(service, CHANGED, ".text")
    both = content(service)

    assert undo(service, title).status == 200
    assert content(service) == both.replace("One", "Zero") != before
    last = undo(service, text)
    assert content(service) == before
    assert undo(service, last).status == 200
    assert content(service) == both.replace("One", "Zero")


def test_a_long_text_is_restored_in_reverse_order(make_service: MakeService) -> None:
    service = make(make_service)
    states, calls = [rows(service)], []
    for number in range(4):
        calls.append(edit(service, f"{number}{LONG}{number}" if number % 2 else "", ".text"))
        states.append(rows(service))

    for call, before in zip(reversed(calls), reversed(states[:-1]), strict=True):
        assert undo(service, call).status == 200
        assert rows(service) == before


@only_sqlite
def test_a_long_text_changed_outside_of_calls_is_a_conflict(make_service: MakeService) -> None:
    service = make(make_service)
    mine = edit(service, "Mine")
    file = service.kernel.store.engine.url.database
    assert file is not None
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(EBB)
    assert undo(service, mine).error == "UNDO_CONFLICT"

    edit(service, "Yours")  # this edit is recorded
    assert undo(service, mine).error == "UNDO_CONFLICT"


def test_writes_of_the_service_on_another_connection_are_recorded(
    make_service: MakeService,
) -> None:
    service = make(make_service)
    mine = edit(service, "Mine")
    with service.kernel.store.engine.begin() as connection:
        connection.execute(sa.text(EBB))

    assert undo(service, mine).status == 200
    assert "ebb" in content(service)
    assert "tide" not in content(service)
    assert "Mine" not in content(service)


@only_sqlite
def test_of_a_long_text_the_place_is_kept(make_service: MakeService) -> None:
    service = make(make_service)
    edit(service, "One")

    with service.kernel.store.unit(writes=False) as unit:
        query = "SELECT before FROM undo_entry WHERE kind = 'update' ORDER BY id DESC LIMIT 1"
        kept = unit.connection.exec_driver_sql(query).scalar_one()
    assert "Zero" in kept
    assert len(kept) < len(LONG) / 2


def test_a_text_that_names_a_file_is_stored_whole() -> None:
    name = f"/files/{'0123456789abcdef' * 2}/"
    text = f"{LONG}{name}tide.jpg{LONG}".encode()
    begin = text.index(name.encode())
    for at in range(begin, begin + len(name)):
        before, _ = excerpts(text, text[:at] + b"x" + text[at + 1 :])
        assert name in before[EXCERPT][2]


def test_a_finally_removed_text_is_reported_and_not_stored(make_service: MakeService) -> None:
    service = make(make_service)
    mine = edit(service, "Mine")
    gone = service.call("landing.landing.delete", {"lid": 10})

    refused = undo(service, mine)
    assert refused.error == "UNDO_CONFLICT"
    (row,) = refused.body["error_data"]["rows"]
    assert (row["table"], row["id"], row["columns"]) == ("landing_block", 100, [])
    assert [each["id"] for each in row["calls"]] == [gone.request_id]
    with service.kernel.store.unit(writes=False) as unit:
        query = "SELECT before FROM undo_entry WHERE kind = 'delete'"
        kept = unit.connection.exec_driver_sql(query).scalars().all()
    if service.kernel.store.sqlite:
        assert {*kept} == {None}


@only_sqlite
def test_a_method_that_became_undoable_later_is_refused_for_older_calls(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make(make_service)
    gone = service.call("landing.landing.delete", {"lid": 10})
    methods, name = service.kernel.registry.methods.by_name, "landing.landing.delete"
    monkeypatch.setitem(methods, name, replace(methods[name], notes={}))

    assert undo(service, gone).error == "UNDO_NOT_POSSIBLE"


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_an_excerpt_that_a_version_before_kept_is_read(make_service: MakeService) -> None:
    service = make(make_service)
    before = content(service)
    mine = edit(service, "Mine")
    with service.kernel.store.engine.begin() as connection:
        query = "SELECT id, before FROM undo_entry WHERE of_table = 'landing_block' AND before > ''"
        number, kept = connection.exec_driver_sql(f"{query} ORDER BY id DESC LIMIT 1").one()
        noted = json.loads(kept)
        now = connection.exec_driver_sql("SELECT content FROM landing_block WHERE id = 100")
        sides = (noted["content"][0].encode(), now.scalar_one().encode())
        noted["content"] = excerpts(*sides)
        sent = {"before": json.dumps(noted), "id": number}
        connection.execute(sa.text("UPDATE undo_entry SET before = :before WHERE id = :id"), sent)

    assert EXCERPT in sent["before"]
    assert undo(service, mine).status == 200
    assert content(service) == before


def test_the_guess_stores_no_less_than_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    at_random = random.Random(2)
    monkeypatch.setattr(landyard_undo.excerpts, "_guess", [(0, 0)])
    was, place, guessed = LONG, 0, 0
    for number in range(300):
        if number % 3 == 0:
            place = at_random.randrange(len(LONG) - 100)
        new = "".join(at_random.choices("abc", k=at_random.randrange(40)))
        became = f"{was[:place]}{new}{was[place + at_random.randrange(40) :]}"
        guess = landyard_undo.excerpts._guess[0]
        old, now = was.encode(), became.encode()
        most = min(len(old), len(now))
        first, last = landyard_undo.excerpts._same(old, now, most)
        guessed += landyard_undo.excerpts._guess[0] is guess
        assert old[:first] == now[:first]
        assert old[len(old) - last :] == now[len(now) - last :]
        assert 0 <= most - first - last <= 350
        was = became if len(became) > len(LONG) // 2 else LONG
    assert 100 < guessed < 300
