"""Handlers that meddle with their transaction: those who write at the same time notice nothing.

Each call that writes keeps a row of the audit in its own transaction: all of the others' rows are
there, once each.
"""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings, Nothing
from sqlalchemy import Connection, text

from landyard import Call, MethodGroup, Plugin
from landyard.testing import Service

TIMES = 25  # calls of the faulty method
OTHERS = 3  # threads of those who write properly


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _commit(connection: Connection) -> None:
    connection.commit()


def _roll_back(connection: Connection) -> None:
    connection.rollback()


def _close(connection: Connection) -> None:
    connection.close()


def _invalidate(connection: Connection) -> None:
    connection.invalidate()


def _detach(connection: Connection) -> None:
    connection.detach()


def _commit_past_the_engine(connection: Connection) -> None:
    _driver(connection).execute("COMMIT")


def _roll_back_past_the_engine(connection: Connection) -> None:
    _driver(connection).execute("ROLLBACK")


def _close_past_the_engine(connection: Connection) -> None:
    _driver(connection).close()


def _commit_the_transaction(connection: Connection) -> None:
    transaction = connection.get_transaction()
    assert transaction is not None
    transaction.commit()


def _use_as_a_context(connection: Connection) -> None:
    with connection:
        pass


def _give_back_past_the_engine(connection: Connection) -> None:
    connection.connection.close()


def _fail_at_the_commit(connection: Connection) -> None:
    connection.execute(
        text(
            "CREATE TABLE deferred (id INTEGER PRIMARY KEY,"
            " other INTEGER REFERENCES deferred (id) DEFERRABLE INITIALLY DEFERRED)"
        )
    )
    connection.execute(text("INSERT INTO deferred VALUES (1, 42)"))


def _take_rows_otherwise(connection: Connection) -> None:
    driver = _driver(connection)
    driver.row_factory = lambda *_: 42


def _translate(connection: Connection) -> None:
    connection.execution_options(schema_translate_map={None: "elsewhere"})


def _write_no_more(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA query_only=ON"))
    else:
        connection.execute(text("SET TRANSACTION READ ONLY"))


def _begin_and_leave(connection: Connection) -> None:
    connection.begin_nested()


def _fail(connection: Connection) -> None:
    connection.execute(text("SELECT * FROM there_is_no_such_table"))


WAYS = [
    *(_commit, _roll_back, _close, _invalidate, _detach, _begin_and_leave, _fail),
    *(_commit_past_the_engine, _roll_back_past_the_engine, _close_past_the_engine),
    *(_commit_the_transaction, _use_as_a_context, _give_back_past_the_engine),
    *(_fail_at_the_commit, _take_rows_otherwise, _translate, _write_no_more),
]


def meddling(way: Callable[[Connection], None]) -> Plugin:
    group = MethodGroup()

    @group.method("meddling.go", writes=True)
    def go(call: Call, params: Nothing) -> bool:
        """Meddle."""
        way(call.connection)
        return True

    return Plugin("meddling", Brings(group))


def proper() -> Plugin:
    group = MethodGroup()

    @group.method("proper.go", writes=True)
    def go(call: Call, params: Nothing) -> bool:
        """Write nothing but the audit's row."""
        return True

    return Plugin("proper", Brings(group))


def together(service: Service) -> Counter[str]:
    """Call both at once; answers what the proper ones were told."""
    told: Counter[str] = Counter()
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            told[str(service.call("proper.go").error)] += 1

    def meddle() -> None:
        try:
            for _ in range(TIMES):
                service.call("meddling.go")
        finally:
            over.set()

    threads = [threading.Thread(target=write) for _ in range(OTHERS)]
    threads.append(threading.Thread(target=meddle))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def kept(service: Service, method: str) -> int:
    """How many calls of a method have a row that says they went well."""
    query = "SELECT count(*) FROM landyard_audit WHERE method = :method AND outcome = 'ok'"
    with service.kernel.store.session() as session:
        found: int = session.execute(sa.text(query), {"method": method}).scalar_one()
        return found


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_others_who_write_notice_nothing(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, way: Callable[[Connection], None]
) -> None:
    service = make_service([meddling(way), proper()], raise_crashes=False)
    blamed: set[str] = set()
    # Or it would be in quarantine after the first few.
    monkeypatch.setattr(service.kernel.faults, "blame", lambda plugin, *_: blamed.add(plugin))

    told = together(service)

    assert list(told) == ["None"]
    assert blamed <= {"meddling"}
    rows = kept(service, "proper.go")
    # What is committed behind the database's back is there already when those it was of run again.
    assert rows >= told["None"] if way is _commit_past_the_engine else rows == told["None"]
