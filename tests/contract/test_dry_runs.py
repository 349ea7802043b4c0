"""A dry run of every method keeps nothing: no row, no file, no id (part 11)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.documents import METHODS, SWITCHED_ON
from contract.test_described_calls import CALLS, SAVED, SMALL, caller

from landyard import Method
from landyard.testing import Service
from landyard_describe.texts import needs
from landyard_safe_writes.dry_runs.dry_run import can_be_tried

OTHER = {"landyard.user.add": {"name": "Another"}}
"""Parameters that replace those of a call which was already made."""
WRITING = [each for each in METHODS if each.writes]


def files(folder: Path) -> dict[str, bytes]:
    """The content of all files, the database included; only the index of its log is left out."""
    found = (each for each in folder.rglob("*") if each.is_file() and each.suffix != ".db-shm")
    return {str(each): each.read_bytes() for each in found}


def rows(service: Service) -> Any:
    """All rows of all tables, and the current values of the id sequences."""
    with service.kernel.store.unit(writes=False) as unit:
        inspected = sa.inspect(unit.connection)
        names = sorted(inspected.get_table_names())
        found = {
            name: sorted(map(repr, unit.connection.exec_driver_sql(f'SELECT * FROM "{name}"')))
            for name in names
        }
        ids = "SELECT sequencename, last_value FROM pg_sequences ORDER BY sequencename"
        return found, list(map(tuple, unit.connection.exec_driver_sql(ids)))


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service that no test changes."""
    with Service(world=SMALL, plugins=SWITCHED_ON) as made:
        made.kernel.lifecycle.write_report()
        for name in sorted({*SAVED.values()}):
            caller(made, name)(name, CALLS[name])
        yield made


@pytest.mark.parametrize("method", WRITING, ids=lambda method: method.name)
def test_a_dry_run_keeps_nothing(service: Service, method: Method) -> None:
    ask = caller(service, method.name)
    before = files(service.kernel.settings.data)

    answer = ask(method.name, {**CALLS[method.name], **OTHER.get(method.name, {}), "dry_run": True})

    assert files(service.kernel.settings.data) == before
    if can_be_tried(method):
        assert answer.status == 200, answer
        assert answer.body["dry_run"] is True
        assert isinstance(answer.body["changes"], list)
    else:
        assert answer.error == "DRY_RUN_NOT_POSSIBLE"


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_a_dry_run_keeps_nothing_on_postgres(make_service: MakeService) -> None:
    service = make_service(world=SMALL, plugins=SWITCHED_ON)
    service.kernel.lifecycle.write_report()
    for name in sorted({*SAVED.values()}):
        caller(service, name)(name, CALLS[name])
    for method in WRITING:
        ask = caller(service, method.name)
        before = rows(service)
        answer = ask(
            method.name, {**CALLS[method.name], **OTHER.get(method.name, {}), "dry_run": True}
        )
        assert answer.status == 200 or answer.error == "DRY_RUN_NOT_POSSIBLE", (method.name, answer)
        assert rows(service) == before, method.name


def test_a_method_without_dry_runs_says_so_in_its_description() -> None:
    for each in METHODS:
        assert ("no `dry_run`" in needs(each)) is not can_be_tried(each)
    # a dry run would confirm a guessed password
    slow = ["landing.block.uploadfile", "landyard.password.set"]
    assert [each.name for each in METHODS if not can_be_tried(each)] == slow
