"""Every parameter of every method accepts or refuses any odd value properly, one value at a time.

The answer is a success or a code that the contract lists for the method. A wrong type gets the code
that C9 names for it. A refused call leaves no trace.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.oddities import CASES, ODD, STORED, UNREADABLE, WORLD, Case
from contract.rules import PARAMETERS
from contract.worlds import webhook_of

from landyard.testing import Answer, Service
from landyard.web.wire import Incoming

# On the second database one method stands for all, because all write through the same code.
EXEMPLARY = "landing.landing.update"
every_case = pytest.mark.parametrize(
    ("database", "case", "part"),
    [
        pytest.param(database, it, part, id=f"{database}-{part}-{it.method}", marks=marks)
        for database, of_all in (("sqlite", []), ("postgres", [pytest.mark.postgres]))
        for it in CASES
        # run one in so many of the values per parameter; neighbouring parameters get different ones
        for part in (1, 4)
        for soaking in [part == 1 or (database == "postgres" and it.method != EXEMPLARY)]
        for marks in [[*of_all, pytest.mark.soak] if soaking else of_all]
    ],
    indirect=["database"],
)


class Database(Protocol):
    """The original content of the database."""

    def version(self) -> object:
        """Return a value that changes after each write."""

    def restore(self) -> None:
        """Restore the original content."""

    def close(self) -> None:
        """Close the connections."""


class Sqlite:
    """SQLite counts the commits of other connections."""

    def __init__(self, service: Service) -> None:
        self._live = sqlite3.connect(service.kernel.settings.data / "landyard.db")
        self._first = sqlite3.connect(":memory:")
        self._live.execute("PRAGMA synchronous=OFF")
        self._live.backup(self._first)
        self._watch = sqlite3.connect(service.kernel.settings.data / "landyard.db")

    def version(self) -> object:
        return self._watch.execute("PRAGMA data_version").fetchone()

    def restore(self) -> None:
        self._first.backup(self._live)

    def close(self) -> None:
        for connection in (self._live, self._first, self._watch):
            connection.close()


class Postgres:
    """PostgreSQL numbers its transactions, and each row carries the number of its writer."""

    def __init__(self, service: Service) -> None:
        self._engine = service.kernel.store.engine
        described = sa.MetaData()
        described.reflect(self._engine)
        self._tables = [it for it in described.sorted_tables if it.name != "alembic_version"]
        newest = (
            f'SELECT max(xmin::text::bigint), count(*) FROM "{it.name}"' for it in self._tables
        )
        self._newest = sa.text(" UNION ALL ".join(newest))
        with self._engine.connect() as connection:
            self._rows = {
                table: [dict(row) for row in connection.execute(table.select()).mappings()]
                for table in self._tables
            }

    def version(self) -> object:
        with self._engine.connect() as connection:
            return connection.execute(self._newest).all()

    def restore(self) -> None:
        with self._engine.begin() as connection:
            # As a replica does: without triggers, in any order.
            connection.execute(sa.text("SET LOCAL session_replication_role = replica"))
            for table, rows in self._rows.items():
                connection.execute(table.delete())
                if rows:
                    connection.execute(table.insert(), rows)

    def close(self) -> None:
        """Do nothing: this database holds no connection of its own."""


class Watched:
    """A service, a detector of its changes, and a way to restore it."""

    def __init__(self, service: Service, database: Database) -> None:
        self.service = service
        self._database = database
        self._files = service.kernel.settings.data / "files"
        self._known = self._version()

    @property
    def values(self) -> list[str]:
        """All values; on the second database only those that it may treat differently."""
        return [*ODD, *UNREADABLE] if self.service.kernel.store.sqlite else STORED

    def send(self, method: str, body: bytes) -> Answer:
        return self.service.send(Incoming("POST", f"/1/{webhook_of(1)}/{method}.json", body=body))

    def is_changed(self) -> bool:
        """Tell whether anything was written since the last time this was asked."""
        known, self._known = self._known, self._version()
        return known != self._known

    def restore(self) -> None:
        self._database.restore()
        shutil.rmtree(self._files, ignore_errors=True)
        self._known = self._version()

    def _version(self) -> object:
        return self._database.version(), sorted(map(str, self._files.rglob("*")))


@contextmanager
def watched(service: Service) -> Iterator[Watched]:
    database = Sqlite(service) if service.kernel.store.sqlite else Postgres(service)
    try:
        yield Watched(service, database)
    finally:
        database.close()


def test_every_parameter_of_the_contract_is_in_a_case() -> None:
    named = {
        f"{method} {name}"
        for method, names in PARAMETERS.items()
        for name in names.split()
        if not name.startswith("data:")
    }

    assert named <= {f"{it.method} {name.replace('|', '.')}" for it in CASES for name in it.kinds}


def test_the_odd_values_include_unreadable_json() -> None:
    for written in ODD:
        json.loads(written)
    assert len(ODD) == len(set(ODD)) > 40


@pytest.mark.rule("C1", "C9", "C11")
@every_case
def test_C9_C11_any_value_of_any_parameter_is_answered_as_the_contract_says(
    make_service: MakeService, case: Case, part: int
) -> None:
    """Everything else is valid, so the answer depends on this value alone."""
    wrong: list[Any] = []
    # Without the audit, which also writes rows for refused calls.
    with watched(make_service(world=WORLD, plugins={"off": ["audit"]})) as it:
        assert it.send(case.method, case.body()).error is None
        it.restore()
        for number, name in enumerate(case.kinds):
            for written in it.values[number % part :: part]:
                answer = it.send(case.method, case.body(name, written))
                changed = it.is_changed()
                if answer.error not in case.allowed(name, written) or answer.status >= 500:
                    wrong.append((name, written[:40], answer.status, answer.body))
                if changed and answer.error is not None:
                    wrong.append((name, written[:40], "refused, and something was written"))
                if changed:
                    it.restore()

    assert wrong == []
