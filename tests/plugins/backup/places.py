"""Places for a service: each has an empty data directory and an empty database of its own."""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from conftest import SERVER

Go = Callable[[str], Path]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def go(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Go]:
    """Make a place the current one, so that commands work there; return its data directory."""
    on_postgres = request.param == "postgres"
    if on_postgres:
        request.getfixturevalue("postgres_url")  # skips where there is no server
    server = sa.create_engine(SERVER, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    made: dict[str, str] = {}

    def there(name: str) -> Path:
        if on_postgres:
            if name not in made:
                made[name] = f"landyard_{uuid.uuid4().hex[:12]}"
                _run(server, f"CREATE DATABASE {made[name]}")
            url = sa.make_url(SERVER).set(database=made[name])
            told = url.render_as_string(hide_password=False)
            monkeypatch.setenv("LANDYARD_DATABASE_URL", told)
        monkeypatch.setenv("LANDYARD_DATA", str(tmp_path / name))
        return tmp_path / name

    yield there
    for name in made.values():
        _run(server, f"DROP DATABASE {name} WITH (FORCE)")


def surroundings() -> dict[str, str]:
    """The environment variables of a process that works at this place."""
    names = ("LANDYARD_DATA", "LANDYARD_DATABASE_URL")
    return {name: os.environ[name] for name in names if name in os.environ}


def _run(server: sa.Engine, statement: str) -> None:
    with server.connect() as connection:
        connection.execute(sa.text(statement))
