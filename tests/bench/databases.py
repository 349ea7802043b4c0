"""PostgreSQL: the same calls compared with raw psycopg, and pages with those of SQLite."""

import contextlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from bench import servers
from bench.contest import Bench, Row, contest, measure
from bench.figures import Figure, against_peers, figure
from bench.scenarios import KNOWN_PAGE, LASTING, MANY_LIST, PAGE_VIEW, USED_UP, Scenario
from bench.used_up import use_up
from bench.world import PAGE_PATH, world

SERVER = os.environ.get("LANDYARD_TEST_POSTGRES", "postgresql://root@127.0.0.1:5432/test")
CALL_BAR, PAGE_BAR = 0.5, 0.5
_PAGES = (PAGE_VIEW, KNOWN_PAGE)


def postgres(bench: Bench) -> list[Figure]:
    """Measure on PostgreSQL; nothing where there is no server."""
    server = SERVER.replace("postgresql+psycopg://", "postgresql://")
    if not is_there(server):
        return []
    data = bench.folder / "on-postgres"
    with database(server) as ours, database(server) as theirs:
        servers.prepare(data, world(), ours)
        env = {**bench.env, "LANDYARD_DATA": str(data), "LANDYARD_DATABASE_URL": ours}
        own = msgspec.structs.replace(bench, env=env, seconds=1)
        with contest(own, theirs) as running:
            limited = [each for each in LASTING if "limit" in each.bars]
            calls = [each for each in limited if each not in (*_PAGES, MANY_LIST)]
            rows = [measure(own, running.ports, _barred(each), running.pids) for each in calls]
            used = use_up(
                running, own.rounds, {each.name for each in USED_UP if "limit" in each.bars}
            )
            figures = [
                each for row in (*rows, *used) for each in against_peers(_renamed(row), "postgres/")
            ]
            with servers.serving(bench.cores, bench.folder, bench.env, PAGE_PATH) as (port, _):
                figures.append(_pages(own, running.ports["landyard"], port))
    return figures


def _pages(bench: Bench, ours: int, sqlite: int) -> Figure:
    scenario = msgspec.structs.replace(PAGE_VIEW, bars={"sqlite": PAGE_BAR})
    row = measure(bench, {"landyard": ours, "sqlite": sqlite}, scenario)
    note = f"{row.rate('landyard'):,.0f}/s, {row.rate('sqlite'):,.0f}/s"
    what = "PostgreSQL: public page, of SQLite's"
    return figure("postgres/page", what, row.ratios("sqlite"), bar=PAGE_BAR, note=note)


def _barred(scenario: Scenario) -> Scenario:
    return msgspec.structs.replace(scenario, bars={"limit": CALL_BAR})


def _renamed(row: Row) -> Row:
    title = f"PostgreSQL: {row.scenario.title}"
    return Row(msgspec.structs.replace(_barred(row.scenario), title=title), row.rounds)


def is_there(server: str) -> bool:
    import psycopg  # an optional package that SQLite does not need

    with contextlib.suppress(psycopg.OperationalError):
        psycopg.connect(server, connect_timeout=3).close()
        return True
    return False


@contextmanager
def database(server: str) -> Iterator[str]:
    import psycopg

    name = f"bench_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
