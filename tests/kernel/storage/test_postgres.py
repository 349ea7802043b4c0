"""PostgreSQL: connections dropped by the server, and statements that stay prepared."""

from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
import sqlalchemy as sa

from landyard import Prepared, Store
from landyard.storage.engines import kept_by
from landyard.storage.store import UnitOfWork

PREPARED = sa.text("SELECT count(*) FROM pg_prepared_statements")
OTHERS = sa.text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
NUMBER = Prepared(sa.select(sa.literal(1).label("number")))


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with closing(Store(postgres_url, connections=3)) as store:
        yield store


def prepared(store: Store) -> int:
    """Tell how many statements the one connection of a store has prepared."""
    return store.run(lambda unit: int(unit.connection.scalar(PREPARED) or 0), writes=False)


def test_long_values_are_compressed_the_fast_way_where_the_server_supports_it(store: Store) -> None:
    query = "SELECT setting, enumvals FROM pg_settings WHERE name = 'default_toast_compression'"
    with store.unit(writes=False) as unit:
        setting, ways = unit.connection.execute(sa.text(query)).one()

    assert setting == ("lz4" if "lz4" in ways else "pglz")


@pytest.mark.parametrize("writes", [False, True])
def test_no_call_fails_because_of_connections_dropped_by_the_server(
    store: Store, postgres_url: str, *, writes: bool
) -> None:
    with store.unit(writes=True) as one, store.unit(writes=False) as two:
        NUMBER.first(one.connection)
        NUMBER.first(two.connection)
    assert len(kept_by(store.engine)) == 2
    with closing(Store(postgres_url)) as other, other.session() as session:
        assert session.scalar(OTHERS) == 2

    with store.unit(writes=writes) as unit:
        assert NUMBER.first(unit.connection) == (1,)

    pool = store.engine.pool
    assert len(kept_by(store.engine)) + pool.checkedin() == 1  # type: ignore[attr-defined]


def test_statements_stay_prepared_when_a_call_reads_or_its_read_is_refused(store: Store) -> None:
    def refuse(unit: UnitOfWork) -> None:
        NUMBER.first(unit.connection)
        raise KeyError

    for _ in range(10):
        with suppress(KeyError):
            store.run(refuse, writes=False)

    assert prepared(store) == 1


def test_after_a_failed_statement_all_are_prepared_anew(store: Store) -> None:
    """A table that the prepared statements use may have changed."""
    for _ in range(10):
        store.run(lambda unit: NUMBER.first(unit.connection), writes=False)

    with pytest.raises(sa.exc.ProgrammingError):
        store.run(lambda unit: unit.connection.execute(sa.text("SELECT no")), writes=False)

    assert prepared(store) == 0


def test_a_pooler_without_prepared_statements_gets_none(postgres_url: str) -> None:
    with closing(Store(f"{postgres_url}?prepare=off")) as store:
        for _ in range(10):
            store.run(lambda unit: NUMBER.first(unit.connection), writes=False)

        assert prepared(store) == 0


def test_connections_beyond_the_pools_size_are_closed(store: Store) -> None:
    units = [store.unit(writes=False) for _ in range(5)]
    for unit in [each.__enter__() for each in units]:
        NUMBER.first(unit.connection)
    for each in units:
        each.__exit__(None, None, None)

    pool = store.engine.pool
    assert len(kept_by(store.engine)) + pool.checkedin() == 3  # type: ignore[attr-defined]
