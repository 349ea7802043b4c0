"""Renewing the triggers of undo on PostgreSQL while visitors read."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService

from landyard.testing import Service
from landyard_undo import postgres_triggers
from landyard_undo.rules_in_force import RulesInForce

only_postgres = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
TRIGGERS = "SELECT tgname FROM pg_trigger WHERE starts_with(tgname, 'zz_undo_') ORDER BY tgname"
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service()


def triggers(service: Service) -> list[str]:
    with service.kernel.store.unit(writes=False) as unit:
        return [*unit.connection.exec_driver_sql(TRIGGERS).scalars()]


def rules(service: Service) -> RulesInForce:
    found = RulesInForce()
    found.learn(service.kernel)
    return found


@only_postgres
def test_a_visitor_who_reads_two_tables_is_not_in_a_deadlock(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = service.kernel.store
    postgres_triggers.watch(store, rules(service))
    before = triggers(service)
    monkeypatch.setattr(postgres_triggers, "_VERSION", -1)

    with ThreadPoolExecutor() as pool, store.unit(writes=False) as visitor:
        read = visitor.connection.exec_driver_sql
        read("SELECT 1 FROM landing_page")
        renewing = pool.submit(postgres_triggers.watch, store, rules(service))
        with store.engine.connect() as other:
            while not other.scalar(sa.text(WAITS)):
                other.rollback()
        for table in ("landing_block", "landing_folder", "landing_site"):
            read(f"SELECT 1 FROM {table}")
        driver: Any = visitor.connection.connection.driver_connection
        driver.commit()
        renewing.result(timeout=30)

    after = triggers(service)
    assert before
    assert len(after) == len(before)
    assert not {*before} & {*after}


@only_postgres
def test_no_trigger_is_left_where_undo_is_switched_off(service: Service) -> None:
    store = service.kernel.store
    postgres_triggers.watch(store, rules(service))
    postgres_triggers.unwatch(store)

    assert triggers(service) == []
