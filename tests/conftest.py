"""Databases to test on, and the services that run on them."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from contract.proofs import Proofs
from hypothesis import settings as hypothesis_settings

from landyard import Kernel, Settings, credentials
from landyard.logs import configure
from landyard.testing import Service

SERVER = os.environ.get("LANDYARD_TEST_POSTGRES", "postgresql+psycopg://root@127.0.0.1:5432/test")

# Random requests hit on these as codes of webhooks; they are no secrets.
METHODS = {
    *(f"landing.block.{name}" for name in ("getlist", "removecard", "updateattrs", "updatenodes")),
    *(f"landing.landing.{name}" for name in ("addByTemplate", "getpublicurl", "markDelete")),
    *("landing.block.uploadfile", "landing.landing.delete", "landing.landing.move"),
    "landing.landing.update",
}

hypothesis_settings.register_profile("landyard", deadline=None, max_examples=100, derandomize=True)
hypothesis_settings.load_profile("landyard")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Proofs(config), "proofs")


@pytest.fixture(scope="session", autouse=True)
def _logs_hold_no_secret(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Log everything, at the level `debug`; at the end look for every secret that was shown."""
    file = tmp_path_factory.mktemp("logs") / "debug.log"
    shown: set[str] = set()
    digest = credentials.digest

    def noting(secret: str) -> str:
        shown.add(secret)
        return digest(secret)

    with file.open("w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(credentials, "digest", noting)
        configure("debug", "json", stream)
        yield
        stream.flush()
    said = file.read_text(encoding="utf-8")
    # `xxxx…` is also a request id somewhere: what is no more than that is no secret.
    secrets = {each for each in shown if credentials.usable_secret(each) and len(set(each)) > 4}
    assert [each for each in secrets - METHODS if each in said] == []


MakeService = Callable[..., Service]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of this test process on the local server, with the schema in place."""
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
    url = sa.make_url(SERVER).set(database=name).render_as_string(hide_password=False)
    _migrate(Settings(database_url=url))
    yield url
    connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    connection.close()
    server.dispose()


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with the schema in place, to be copied."""
    folder = tmp_path_factory.mktemp("sqlite")
    _migrate(Settings(data=folder))
    return folder / "landyard.db"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Settings of an empty database with the schema in place, on each kind of server."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_file"), tmp_path / "landyard.db")
        return {"data": tmp_path}
    url = request.getfixturevalue("postgres_url")
    _empty(url)
    return {"data": tmp_path, "database_url": url}


@pytest.fixture
def make_service(database: dict[str, Any]) -> Iterator[MakeService]:
    """Make services on this test's database; they are closed behind it."""
    made: list[Service] = []

    def make(*args: Any, **options: Any) -> Service:
        made.append(Service(*args, **{**database, **options}))
        return made[-1]

    yield make
    for service in made:
        service.close()


def _migrate(settings: Settings) -> None:
    kernel = Kernel(settings)
    kernel.schema.prepare(kernel.store)
    kernel.close()


def _empty(url: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        tables = [
            name for name in sa.inspect(connection).get_table_names() if "alembic" not in name
        ]
        connection.execute(sa.text(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY CASCADE"))
    engine.dispose()
