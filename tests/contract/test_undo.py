"""Undo restores what every method that writes has changed (part 11, undo)."""

from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.documents import METHODS, SWITCHED_ON
from contract.test_described_calls import CALLS, SAVED, SMALL, caller
from contract.test_dry_runs import OTHER

from landyard import Method
from landyard_checks.testing import Service
from landyard_describe.texts import needs
from landyard_undo.treatment import NEVER, of_table

UNDO = "landyard.call.undo"
WRITING = [each for each in METHODS if each.writes and each.name != UNDO]


def rows(service: Service) -> dict[str, list[str]]:
    """All rows of the tables that are undone."""
    with service.kernel.store.unit(writes=False) as unit:
        names = sa.inspect(unit.connection).get_table_names()
        return {
            name: sorted(map(repr, unit.connection.exec_driver_sql(f'SELECT * FROM "{name}"')))
            for name in sorted(names)
            if of_table(name) != NEVER
        }


@pytest.fixture
def service(make_service: MakeService) -> Service:
    made = make_service(world=SMALL, plugins=SWITCHED_ON)
    for name in sorted({*SAVED.values()}):
        caller(made, name)(name, CALLS[name])
    return made


def test_every_method_is_undone_and_redone(service: Service) -> None:
    wrong = {}
    for method in WRITING:
        if told := undone_and_redone(service, method):
            wrong[method.name] = told
    assert not wrong


def undone_and_redone(service: Service, method: Method) -> Any:
    ask = caller(service, method.name)
    before = rows(service)
    done = ask(method.name, {**CALLS[method.name], **OTHER.get(method.name, {})})
    if done.status != 200:
        return done
    made = rows(service)
    if made == before:
        return None
    undo = ask(UNDO, {"id": done.request_id})
    if not method.undo:
        return None if undo.error in ("UNDO_NOT_POSSIBLE",) else undo
    if undo.status != 200:
        return undo
    undone = rows(service)
    if undone != before:
        return [name for name in before if before[name] != undone[name]]
    redo = ask(UNDO, {"id": undo.request_id})
    if redo.status != 200:
        return redo
    redone = rows(service)
    if redone != made:
        return ["redo", *(name for name in made if made[name] != redone[name])]
    return None


def test_what_cannot_be_undone_is_said_before() -> None:
    for each in METHODS:
        assert ("no `undo`" in needs(each)) is (each.writes and not each.undo)
