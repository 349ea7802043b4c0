"""The database's schema: one Alembic branch for the kernel and one for each plugin with tables."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import ScriptDirectory
from conftest import SERVER
from kernel.sample import Brings

from landyard import (
    Credential,
    Kernel,
    MethodGroup,
    Plugin,
    PluginError,
    Settings,
    Tables,
    hookimpl,
)
from landyard.credentials import Token, Webhook, digest, who_shows
from landyard.schema import KERNEL, SchemaError, _adopt, alembic_config
from landyard.testing import Service


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


def test_an_empty_database_is_prepared_in_full(kernel: Kernel) -> None:
    assert kernel.schema.empty(kernel.store)

    kernel.schema.prepare(kernel.store)

    assert not kernel.schema.empty(kernel.store)
    assert kernel.schema.behind(kernel.store) == []
    assert kernel.schema.drift(kernel.store) == []


def test_a_second_upgrade_changes_nothing(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    before = tables(kernel)

    kernel.schema.upgrade(kernel.store)
    kernel.schema.prepare(kernel.store)

    assert tables(kernel) == before
    assert kernel.schema.behind(kernel.store) == []


def test_each_plugin_has_a_branch_of_its_own(settings: Settings, kernel: Kernel) -> None:
    alone = Kernel(settings, [])
    alone.schema.prepare(alone.store)
    alone.close()
    before = tables(kernel)

    assert [name.partition("_")[0] for name in kernel.schema.behind(kernel.store)] == ["landing"]
    kernel.prepare()

    assert kernel.schema.behind(kernel.store) == []
    made = {name.partition("_")[0] for name in tables(kernel) - before - {"alembic_landing"}}
    assert made == {"landing"}


def test_a_plugin_that_was_switched_off_leaves_its_tables(
    settings: Settings, kernel: Kernel
) -> None:
    kernel.schema.prepare(kernel.store)
    alone = Kernel(settings, [])

    alone.schema.prepare(alone.store)

    assert alone.schema.behind(alone.store) == []
    assert alone.schema.drift(alone.store) == []
    alone.close()


def test_every_branch_can_be_taken_back(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    before = tables(kernel)

    for branch in reversed(kernel.schema.branches):
        with kernel.store.engine.begin() as connection:
            command.downgrade(alembic_config(branch, connection), "base")
    assert tables(kernel) == {"alembic_landing", "alembic_landyard"}
    kernel.schema.upgrade(kernel.store)

    assert tables(kernel) == before
    assert kernel.schema.drift(kernel.store) == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE landyard_webhook ADD COLUMN more INTEGER",
        "DROP TABLE landyard_token",
        "DROP INDEX ix_landyard_webhook_user_id",
        "CREATE TABLE landyard_stray (id INTEGER)",
    ],
)
def test_drift_is_told(kernel: Kernel, change: str) -> None:
    kernel.schema.prepare(kernel.store)
    with kernel.store.engine.begin() as connection:
        connection.execute(sa.text(change))

    assert kernel.schema.drift(kernel.store)


def test_tables_of_others_are_no_drift(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    with kernel.store.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE somebody_else (id INTEGER)"))

    assert kernel.schema.drift(kernel.store) == []


REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "broken_0001"
down_revision = None
branch_labels = ("broken",)
depends_on = None


def upgrade():
    op.create_table("broken_thing", sa.Column("id", sa.Integer, primary_key=True))
    raise ZeroDivisionError
"""


class Broken(Brings):
    def __init__(self, folder: Path) -> None:
        super().__init__(MethodGroup())
        self.folder = folder

    @hookimpl
    def register_tables(self) -> Tables:
        return Tables("broken", self.folder)


def test_an_upgrade_is_all_of_a_branch_or_nothing_of_it(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "broken_0001.py").write_text(REVISION)
    kernel: Any = Kernel(settings, [Plugin("broken", Broken(folder))])

    with pytest.raises(SchemaError, match=r"'broken'.*ZeroDivisionError"):
        kernel.schema.upgrade(kernel.store)

    assert {name.partition("_")[0] for name in tables(kernel)} == {"alembic", "landyard"} | {
        name.partition("_")[0] for name in tables(kernel) if name.startswith("ledger_")
    }
    assert "alembic_broken" not in tables(kernel)
    kernel.close()


def test_a_database_of_a_newer_version_is_refused_with_advice(tmp_path: Path) -> None:
    newer = "UPDATE alembic_landing SET version_num = :to"
    with Service(data=tmp_path) as service, service.kernel.store.session(writes=True) as session:
        session.execute(sa.text(newer), {"to": "landing_9999"})

    with pytest.raises(PluginError, match=r"'landing'.*landing_9999.*newer"):
        Service(data=tmp_path)


def test_an_upgrade_keeps_the_rows_of_a_table_that_is_made_anew(kernel: Kernel) -> None:
    for branch in kernel.schema.branches:
        with kernel.store.rebuilding() as connection:
            command.upgrade(alembic_config(branch, connection), f"{branch.branch}_0001")
    rows = {
        "landing_site": "id, code, type, title, template_code, active",
        "landing_page": "id, site_id, code, title, description, active, published, deleted, locked,"
        " area, rule, sitemap, xml_id, additional_fields, folder_flag, created_at, modified_at,"
        " created_by, modified_by",
        "landing_block": "id, page_id, public, code, content, policy, sort, active, deleted,"
        " params, created_at, modified_at, created_by, modified_by",
    }
    day = "'2026-01-02 03:04:05'"
    values = {
        "landing_site": "7, 'shop', 'PAGE', 'Shop', 'empty', true",
        "landing_page": f"10, 7, 'home', 'Home', '', true, true, false, false, false, '', 'Y', '',"
        f" '{{}}', 'N', {day}, {day}, 0, 0",
        "landing_block": f"100, 10, true, 'ly.text', '<p>x</p>', 1, 500, true, false, '{{}}',"
        f" {day}, {day}, 0, 0",
    }
    with kernel.store.engine.begin() as connection:
        for table, columns in rows.items():
            statement = f"INSERT INTO {table} ({columns}) VALUES ({values[table]})"
            connection.execute(sa.text(statement))

    kernel.schema.upgrade(kernel.store)

    with kernel.store.engine.connect() as connection:
        counted = {
            t: connection.execute(sa.text(f"SELECT count(*) FROM {t}")).scalar() for t in rows
        }
        content = connection.execute(sa.text("SELECT content FROM landing_block")).scalar()
    assert counted == dict.fromkeys(rows, 1)
    assert content == "<p>x</p>"
    assert kernel.schema.drift(kernel.store) == []


SECRETS = {
    "landyard_webhook": "webhook-of-old-0123456789",
    "landyard_token": "token-of-old-0123456789",
}


def test_an_upgrade_keeps_the_credentials(kernel: Kernel) -> None:
    with kernel.store.rebuilding() as connection:
        command.upgrade(alembic_config(KERNEL, connection), "landyard_0002")
        connection.execute(sa.text("INSERT INTO landyard_user VALUES (1, 'Ann', true, true)"))
        columns = "id, user_id, digest, scopes, title, active"
        for table, secret in SECRETS.items():
            values = f"7, 1, '{digest(secret)}', 'landing', 't', true"
            connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({values})"))

    kernel.schema.upgrade(kernel.store)

    with kernel.store.session() as session:
        shown = [
            who_shows(credential, session, kernel.now())
            for credential in (
                Credential("webhook", SECRETS["landyard_webhook"], "1"),
                Credential("token", SECRETS["landyard_token"]),
            )
        ]
        hook, token = session.get_one(Webhook, 7), session.get_one(Token, 7)
    assert [actor and actor.credential for actor in shown] == ["webhook:7", "token:7"]
    assert (hook.expires_at, hook.last_used_at, hook.replaced_by) == (None, None, None)
    assert (token.expires_at, token.last_used_at, token.replaced_by) == (None, None, None)
    assert kernel.schema.drift(kernel.store) == []


def test_every_revision_of_the_kernel_can_be_taken_back_alone(kernel: Kernel) -> None:
    kernel.schema.prepare(kernel.store)
    before = tables(kernel)
    with kernel.store.rebuilding() as connection:
        scripts = ScriptDirectory.from_config(alembic_config(KERNEL, connection))
        revisions = list(scripts.walk_revisions())
    for revision in revisions:
        if revision.down_revision is not None:
            with kernel.store.rebuilding() as connection:
                config = alembic_config(KERNEL, connection)
                command.downgrade(config, str(revision.down_revision))
            kernel.schema.upgrade(kernel.store)

            assert kernel.schema.drift(kernel.store) == [], revision.revision
    assert tables(kernel) == before


def test_an_upgrade_that_leaves_dangling_rows_is_taken_back(tmp_path: Path) -> None:
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


def test_a_plugin_whose_tables_are_behind_fails_and_the_rest_serves(tmp_path: Path) -> None:
    """A branch that has begun is never changed without being asked."""
    with Service(data=tmp_path) as service, service.kernel.store.rebuilding() as connection:
        landing = service.kernel.schema.branches[1]
        command.downgrade(alembic_config(landing, connection), "landing_0001")

    with Service(data=tmp_path, strict=False, world={}) as behind:
        states = {state.name: (state.state, state.reason) for state in behind.kernel.report}
        names = [method.name for method in behind.kernel.methods]

    assert states["landing"][0] == "failed"
    assert "landing_0002: run `landyard db upgrade`" in states["landing"][1]
    assert states["blocks"] == ("failed", "it requires 'landing', which is failed")
    assert names == ["methods"]


def test_a_database_in_which_all_branches_share_a_table_is_taken_over(kernel: Kernel) -> None:
    """Up to now Landyard kept the revisions of all branches in one table."""
    kernel.prepare()
    with kernel.store.engine.begin() as connection:
        revisions = []
        for branch in kernel.schema.branches:
            rows = connection.execute(sa.text(f"SELECT version_num FROM {branch.version_table}"))
            revisions += list(rows.scalars())
            connection.execute(sa.text(f"DROP TABLE {branch.version_table}"))
        connection.execute(sa.text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        for revision in [*revisions, "absent_0007"]:
            connection.execute(sa.text(f"INSERT INTO alembic_version VALUES ('{revision}')"))

    assert kernel.schema.behind(kernel.store) == []
    with kernel.store.rebuilding() as connection:
        for branch in kernel.schema.branches:
            _adopt(branch, connection)

    assert kernel.schema.behind(kernel.store) == []
    with kernel.store.engine.connect() as connection:
        left = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars()
        assert list(left) == ["absent_0007"]
