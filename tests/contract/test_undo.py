"""Undo restores everything that any writing method has changed (part 11)."""

from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.documents import METHODS, SWITCHED_ON
from contract.test_described_calls import CALLS, SAVED, SMALL, caller
from contract.test_dry_runs import OTHER

from landyard import Irreversible, Method
from landyard.testing import Service
from landyard_describe.texts import needs
from landyard_undo.watching import Watch

UNDO = "landyard.call.undo"
WRITING = [
    each for each in METHODS if each.writes and Irreversible not in each.notes and each.name != UNDO
]


def rows(service: Service) -> dict[str, list[str]]:
    """All rows of the tables that are undone, but for files that go as temporary ones do."""
    (watch,) = (each for each in service.kernel.registry.kept if isinstance(each, Watch))
    with service.kernel.store.unit(writes=False) as unit:
        names = sa.inspect(unit.connection).get_table_names()
        run = unit.connection.exec_driver_sql
        lasting = {"landing_file": " WHERE temporary IS FALSE"}
        return {
            name: sorted(map(repr, run(f'SELECT * FROM "{name}"{lasting.get(name, "")}')))
            for name in sorted(names)
            if watch.rules.are_undone(name)
        }


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = make_service(world=SMALL, plugins=SWITCHED_ON)
    for name in sorted({*SAVED.values()} - {SAVED[UNDO]}):
        caller(made, name)(name, CALLS[name])
    made.call(SAVED[UNDO], CALLS[SAVED[UNDO]])
    return made


def test_every_method_is_undone_and_redone(service: Service) -> None:
    wrong = {each.name: told for each in WRITING if (told := undone_and_redone(service, each))}
    assert not wrong


def undone_and_redone(service: Service, method: Method) -> Any:
    """Call a method and undo it, twice; return the rows or answers that differ."""
    ask = caller(service, method.name)
    before = rows(service)
    done = ask(method.name, {**CALLS[method.name], **OTHER.get(method.name, {})})
    made = rows(service)
    if done.status != 200 or made == before:
        return None if done.status == 200 else done
    last = done.request_id
    for expected in (before, made, before):
        undo = ask(UNDO, {"id": last})
        found = rows(service)
        if undo.status != 200 or found != expected:
            differing = {name: (expected[name], found[name]) for name in found}
            return undo, {name: both for name, both in differing.items() if both[0] != both[1]}
        last = undo.request_id
    return None


def test_a_method_that_cannot_be_undone_says_so_in_its_description() -> None:
    for each in METHODS:
        assert ("no `undo`" in needs(each)) is (each.writes and Irreversible in each.notes)
