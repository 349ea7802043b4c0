"""Databases to test on, and the services that run on them."""

import gc
import multiprocessing
import os
import shutil
import sqlite3
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import sqlalchemy as sa
from contract.proofs import EVERY_DAY, Proofs
from contract.reached import Reached, watch
from hypothesis import settings as hypothesis_settings
from kernel.canary import Canary
from kernel.commands import Run, landyard
from kernel.shared import installed, migrate, share, tables_known, upgrade_once
from quarters import QUARTERS, quarter_of
from stores import port_of, url_of

from landyard import Settings
from landyard.storage import schema
from landyard.testing import Service
from landyard_authoring import trial

SERVER = os.environ.get("LANDYARD_TEST_POSTGRES", "postgresql+psycopg://root@127.0.0.1:5432/test")

EMPTY = """
DO $$ DECLARE name text; BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR name IN SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            AND strpos(relname, 'alembic') = 0 AND pg_relation_size(oid) > 0
    LOOP EXECUTE 'DELETE FROM ' || quote_ident(name); END LOOP;
    PERFORM setval(oid::regclass, 1, false) FROM pg_class
        WHERE CASE relkind WHEN 'S' THEN pg_sequence_last_value(oid) END IS NOT NULL;
END $$
"""
# Unused tables and sequences are skipped. TRUNCATE takes forty times as long as DELETE for nearly
# empty tables.

# Random requests use these as codes of webhooks; they are no secrets.
METHODS = {
    *(f"landing.block.{name}" for name in ("getlist", "removecard", "updateattrs", "updatenodes")),
    *(f"landing.landing.{name}" for name in ("addByTemplate", "getpublicurl", "markDelete")),
    *("landing.block.uploadfile", "landing.landing.delete", "landing.landing.move"),
    "landing.landing.update",
}

# jsonschema would take a second to compile thirty grammars for formats that no test uses.
sys.modules.setdefault("rfc3987_syntax", cast("Any", None))

hypothesis_settings.register_profile("landyard", deadline=None, max_examples=60, derandomize=True)
hypothesis_settings.load_profile("landyard")


# Each check of a plugin runs in a fork of a process that has imported Landyard.
cast("Any", trial).STARTS = multiprocessing.get_context("forkserver")
multiprocessing.set_forkserver_preload(["landyard.cli.serving", "landyard_authoring.examination"])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quarter",
        type=int,
        choices=range(QUARTERS),
        help="run the test files of this quarter alone (tests/quarters.py)",
    )


def pytest_configure(config: pytest.Config) -> None:
    proofs = Proofs(config)
    config.pluginmanager.register(proofs, "proofs")
    here = not hasattr(config, "workerinput")
    config.pluginmanager.register(Reached(config, whole=proofs.whole, here=here), "reached")
    schema._upgrade = upgrade_once
    watch()


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, because they live to the end."""
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """More processes than cores, because some tests wait; those of `make check` compute."""
    waiting = {"lint": 0, EVERY_DAY: 1}.get(config.option.markexpr, 2)
    return (os.cpu_count() or 1) + waiting


HOUSE = Path(__file__).parents[1]
SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text().split())
"""Modules and tests that take most of a second, by `--durations`; together two thirds of the
time.
"""
ON_POSTGRES = "tests/contract/test_method_rules.py"  # it calls each method


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module of which everything would be left out."""
    file = str(collection_path.relative_to(HOUSE))
    quarter = config.option.quarter
    if quarter is not None and collection_path.is_file() and quarter_of(file) != quarter:
        return True
    return True if config.option.markexpr == EVERY_DAY and file in SLOW else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves to `make slow`: listed ones, and services on
    PostgreSQL.

    SQLite runs every call. PostgreSQL runs the first of a table of calls, and all of them with
    `make soak`. Tests about databases make their own, without a service.
    """
    met: set[str] = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        module = test.partition("::")[0]
        slow = not SLOW.isdisjoint((module, test))
        if item.get_closest_marker("postgres") and "make_service" in getattr(
            item, "fixturenames", ()
        ):
            slow = slow or module != ON_POSTGRES
            if test in met:
                item.add_marker(pytest.mark.soak)
            met.add(test)
        if slow and not item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def canary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canary]:
    """Record everything printed or logged in this run; no secret that was shown may appear in
    it.
    """
    canary = Canary(tmp_path_factory.mktemp("logs") / "debug.log")
    with canary.listening():
        yield canary
    assert canary.found(METHODS) == []


@pytest.fixture(autouse=True)
def _shared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Share examined plugins between services; tests of the kernel examine them each time."""
    if not request.node.nodeid.startswith("tests/kernel/"):
        share(monkeypatch)


@pytest.fixture(name="landyard")
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run commands in this process, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANDYARD_LOG_LEVEL", "error")
    share(monkeypatch)
    # Logging is set up for the whole process and would outlive the test's output.
    monkeypatch.setattr("landyard.cli.console.configure", lambda *_: None)
    return landyard


MakeService = Callable[..., Service]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of this test process on the local server, with the schema in place."""
    with postgres_database() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_rows(postgres_url: str) -> Iterator[sa.Engine]:
    """A function that deletes the database's rows; it keeps no connection open, because tests count
    them.
    """
    engine = sa.create_engine(postgres_url, poolclass=sa.NullPool)
    yield engine
    engine.dispose()


@contextmanager
def postgres_database() -> Iterator[str]:
    """Make a database on the local server, with the schema in place."""
    server = sa.create_engine(
        SERVER, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 3}
    )
    try:
        connection = server.connect()
    except sa.exc.OperationalError as error:
        server.dispose()
        if os.environ.get("LANDYARD_TEST_REQUIRE_POSTGRES"):
            pytest.fail(f"PostgreSQL is required here, and does not answer: {error.orig}")
        pytest.skip("no PostgreSQL server at LANDYARD_TEST_POSTGRES")
    name = f"landyard_{uuid.uuid4().hex[:12]}"
    connection.execute(sa.text(f"CREATE DATABASE {name}"))
    # No sync to disk, because tests need not survive a power failure.
    connection.execute(sa.text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    url = sa.make_url(SERVER).set(database=name).render_as_string(hide_password=False)
    migrate(Settings(database_url=url))
    yield url
    connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    connection.close()
    server.dispose()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this whole run, which the processes of pytest-xdist share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with the schema in place, to be copied."""
    folder = tmp_path_factory.mktemp("sqlite")
    migrate(Settings(data=folder))
    return folder / "landyard.db"


@pytest.fixture
def sqlite_database(sqlite_file: Path, tmp_path: Path) -> dict[str, Any]:
    """Settings of an empty SQLite database with the schema in place."""
    shutil.copy(sqlite_file, tmp_path / "landyard.db")
    return {"data": tmp_path}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Settings of an empty database with the schema in place, on each kind of server."""
    if request.param == "sqlite":
        found: dict[str, Any] = request.getfixturevalue("sqlite_database")
        return found
    url = request.getfixturevalue("postgres_url")
    with request.getfixturevalue("postgres_rows").begin() as connection:
        connection.exec_driver_sql(EMPTY)
    return {"data": tmp_path, "database_url": url}


@pytest.fixture
def elsewhere(run_folder: Path) -> dict[str, Any]:
    """Settings of a bucket for files, if the variable `LANDYARD_TEST_FILES` names a store."""
    kind = os.environ.get("LANDYARD_TEST_FILES")
    return {"files": {"url": url_of(port_of(kind, run_folder))}} if kind else {}


@pytest.fixture
def make_service(
    database: dict[str, Any], elsewhere: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[MakeService]:
    """Make services on this test's database; they are closed after the test."""
    share(monkeypatch)
    made: list[Service] = []

    def make(*args: Any, **options: Any) -> Service:
        names = [getattr(each, "__name__", "") for each in args[0]] if args else []
        has_files = not args or "landyard_content" in names
        settings = {**database, **(elsewhere if has_files else {}), **options}
        if made or not installed(args):
            made.append(Service(*args, **settings))
            return made[-1]
        with tables_known():
            make = Service if "database_url" in settings else _loaded
            made.append(make(*args, **settings))
        return made[-1]

    yield make
    for service in made:
        service.close()


_WORLDS: dict[str, bytes] = {}


def _loaded(*args: Any, data: Path, world: Any = None, **options: Any) -> Service:
    """Make a service on SQLite; a world that was loaded twice is copied from then on."""
    key = f"{msgspec.json.encode(world)!r} {args} {options}"
    if _WORLDS.get(key):
        (data / "landyard.db").write_bytes(_WORLDS[key])
        return Service(*args, data=data, world={}, **options)
    service = Service(*args, data=data, world=world, **options)
    _WORLDS[key] = _content(data) if key in _WORLDS else b""
    return service


def _content(data: Path) -> bytes:
    with closing(sqlite3.connect(data / "landyard.db")) as database:
        return database.serialize()
