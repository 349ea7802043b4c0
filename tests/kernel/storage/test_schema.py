"""The database's schema: one Alembic branch for the kernel and one for each plugin with tables."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from conftest import SERVER
from kernel.sample import Brings

from landyard import METADATA, Kernel, MethodGroup, Plugin, PluginError, Settings, Tables, hookimpl
from landyard.storage.schema import SchemaError, alembic_config
from landyard.testing import Service
from landyard_authoring.database import drift


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield Settings(data=tmp_path)
        return
    request.getfixturevalue("postgres_url")  # skips where there is no server
    name = f"landyard_{uuid.uuid4().hex[:12]}"
    server = sa.create_engine(SERVER, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
        url = sa.make_url(SERVER).set(database=name).render_as_string(hide_password=False)
        try:
            yield Settings(data=tmp_path, database_url=url)
        finally:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.dispose()


@pytest.fixture
def kernel(settings: Settings) -> Iterator[Kernel]:
    """All installed plugins on an empty database."""
    kernel = Kernel(settings)
    yield kernel
    kernel.close()


def tables(kernel: Kernel) -> set[str]:
    return set(sa.inspect(kernel.store.engine).get_table_names())


def test_an_empty_database_is_prepared_in_full_and_once(kernel: Kernel) -> None:
    branches = [branch.branch for branch in kernel.schema.branches]
    assert kernel.schema.behind(kernel.store) == [
        revision for branch in kernel.schema.branches for revision in branch.revisions()
    ]

    kernel.schema.prepare(kernel.store)
    before = tables(kernel)
    kernel.schema.upgrade(kernel.store)
    kernel.schema.prepare(kernel.store)

    assert tables(kernel) == before
    assert kernel.schema.behind(kernel.store) == []
    assert drift(kernel) == []
    begins = {name.partition("_")[0] for name in before}
    assert begins == {"alembic", *branches}


def test_a_plugin_that_was_switched_off_leaves_its_tables(
    settings: Settings, kernel: Kernel
) -> None:
    kernel.schema.prepare(kernel.store)
    alone = Kernel(settings, [])

    alone.schema.prepare(alone.store)

    assert alone.schema.behind(alone.store) == []
    assert drift(alone) == []
    alone.close()


def test_every_branch_can_be_downgraded(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    before = tables(kernel)

    for branch in reversed(kernel.schema.branches):
        with kernel.store.engine.begin() as connection:
            command.downgrade(alembic_config(branch, connection), "base")
    assert tables(kernel) == {branch.version_table for branch in kernel.schema.branches}
    kernel.schema.upgrade(kernel.store)

    assert tables(kernel) == before
    assert drift(kernel) == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE landyard_webhook ADD COLUMN more INTEGER",
        "DROP TABLE landyard_token",
        "DROP INDEX ix_landyard_webhook_user_id",
        "CREATE TABLE landyard_stray (id INTEGER)",
    ],
)
def test_drift_is_reported(kernel: Kernel, change: str) -> None:
    kernel.schema.prepare(kernel.store)
    with kernel.store.engine.begin() as connection:
        connection.execute(sa.text(change))

    assert drift(kernel)


def test_a_missing_generated_column_is_reported(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    made = "CREATE TABLE landyard_stray (id INTEGER NOT NULL PRIMARY KEY, a INTEGER"
    with kernel.store.engine.begin() as connection:
        extra = ", more INTEGER GENERATED ALWAYS AS (a + 1) STORED)"
        connection.execute(sa.text(f"{made}{extra}"))
    twice = sa.Column("twice", sa.Integer, sa.Computed("a * 2", persisted=True))
    columns = (sa.Column("id", sa.Integer, primary_key=True), sa.Column("a", sa.Integer))
    table = sa.Table("landyard_stray", METADATA, *columns, twice)
    try:
        (difference,) = drift(kernel)
    finally:
        METADATA.remove(table)
    assert "add_column" in difference
    assert "twice" in difference


def test_tables_of_others_are_no_drift(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    with kernel.store.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE somebody_else (id INTEGER)"))

    assert drift(kernel) == []


REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "more_000{number}"
down_revision = {before!r}


def upgrade():
    op.create_table("more_{number}", sa.Column("id", sa.Integer, primary_key=True))
    {then}
"""


class More(Brings):
    """A plugin with tables, whose revisions a test writes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(MethodGroup())
        self.folder = folder / "migrations"
        self.folder.mkdir()

    def revise(self, number: int, before: str | None = None, then: str = "") -> None:
        text = REVISION.format(number=number, before=before, then=then)
        (self.folder / f"more_000{number}.py").write_text(text)

    @hookimpl
    def register_tables(self) -> Tables:
        return Tables("more", self.folder)


def test_an_upgrade_applies_a_whole_branch_or_nothing_of_it(
    settings: Settings, tmp_path: Path
) -> None:
    more = More(tmp_path)
    more.revise(1, then="raise ZeroDivisionError")
    kernel = Kernel(settings, [Plugin("more", more)])

    with pytest.raises(SchemaError, match=r"'more'.*ZeroDivisionError"):
        kernel.schema.upgrade(kernel.store)

    assert {name.partition("_")[0] for name in tables(kernel)} == {"alembic", "landyard"}
    assert "alembic_more" not in tables(kernel)
    kernel.close()


def test_a_database_of_a_newer_version_is_refused_with_advice(tmp_path: Path) -> None:
    newer = "UPDATE alembic_landing SET version_num = :to"
    with Service(data=tmp_path) as service, service.kernel.store.session(writes=True) as session:
        session.execute(sa.text(newer), {"to": "landing_9999"})

    with pytest.raises(PluginError, match=r"'landing'.*landing_9999.*newer"):
        Service(data=tmp_path)


def test_an_upgrade_that_leaves_dangling_rows_is_rolled_back(tmp_path: Path) -> None:
    kernel = Kernel(Settings(data=tmp_path), [])
    kernel.schema.prepare(kernel.store)
    columns, values = "id, user_id, digest, scopes, title, active", "1, 99, 'd', '', '', true"
    dangling = sa.text(f"INSERT INTO landyard_webhook ({columns}) VALUES ({values})")

    with pytest.raises(RuntimeError, match="landyard_webhook"), kernel.store.rebuilding() as broken:
        broken.execute(dangling)

    with kernel.store.engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM landyard_webhook")).scalar() == 0
        assert connection.execute(sa.text("PRAGMA foreign_keys")).scalar() == 1
    kernel.close()


def test_outdated_tables_are_refused_with_advice(settings: Settings, tmp_path: Path) -> None:
    """Existing tables are never changed unless the operator asks for it."""
    more = More(tmp_path)
    more.revise(1)
    kernel = Kernel(settings, [Plugin("more", more)])
    kernel.schema.prepare(kernel.store)
    more.revise(2, "more_0001")

    with pytest.raises(SchemaError, match="more_0002: run `landyard db upgrade`"):
        kernel.schema.prepare(kernel.store)

    assert kernel.schema.behind(kernel.store) == ["more_0002"]
    assert "more_2" not in tables(kernel)
    kernel.schema.upgrade(kernel.store)
    assert {"more_1", "more_2"} <= tables(kernel)
    kernel.close()
