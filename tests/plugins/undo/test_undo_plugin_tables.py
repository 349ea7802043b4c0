"""Undo works for the tables of a third-party plugin, whatever their columns are."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import postgres_database
from contract.test_undo import UNDO
from msgspec import Struct

import landyard_undo
from landyard import Call, MethodGroup, MissingParams, Plugin, Tables, WrongType, hookimpl
from landyard.testing import WEBHOOK, Answer, Service

WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["landing", "admin"]}],
}
GONE = ("lab_gone", "lab_other_name", "lab_other_key", "lab_fewer")
MADE = [
    "CREATE TABLE lab_parent (id INTEGER PRIMARY KEY)",
    """CREATE TABLE lab_child (id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES lab_parent ON DELETE CASCADE)""",
    """CREATE TABLE lab_loose (id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES lab_parent ON DELETE SET NULL)""",
    "INSERT INTO lab_parent VALUES (1)",
    "INSERT INTO lab_child VALUES (1, 1), (2, 1)",
    "INSERT INTO lab_loose VALUES (1, 1)",
    """CREATE TABLE lab_odd (id INTEGER PRIMARY KEY, "this" TEXT, "a%b" TEXT, "a$note$b" TEXT,
        told TEXT, this_row TEXT, this_unit TEXT)""",
    "INSERT INTO lab_odd (id) VALUES (1)",
    *(f"CREATE TABLE {each} (id INTEGER PRIMARY KEY, a INTEGER, b TEXT)" for each in GONE),
    *(f"INSERT INTO {each} VALUES (1, 1, 'one')" for each in GONE),
    """CREATE TABLE lab_generated (id INTEGER PRIMARY KEY, a INTEGER,
        twice INTEGER GENERATED ALWAYS AS (a * 2) STORED)""",
    "INSERT INTO lab_generated VALUES (1, 1)",
    # PostgreSQL can store nothing in this column; SQLite needs another column.
    "CREATE TABLE lab_constant (one INTEGER GENERATED ALWAYS AS (1) STORED{0})",
]
REVISION = """
from alembic import op
revision, down_revision, branch_labels, depends_on = "lab_0001", None, ("lab",), None
def upgrade() -> None:
    for each in {!r}:
        op.execute(each)
"""


class Run(Struct, frozen=True):
    """`sql`: statements."""

    sql: list[str]


class Lab:
    """A third-party plugin whose one method runs statements."""

    group = MethodGroup(scope="landing")

    def __init__(self, folder: Path, filler: str) -> None:
        made = [each.format(filler) for each in MADE]
        (folder / "lab_0001.py").write_text(REVISION.format(made))
        self.folder = folder

    @hookimpl
    def register_tables(self) -> Tables:
        return Tables("lab", self.folder)

    @hookimpl
    def register_methods(self) -> MethodGroup:
        return self.group


@Lab.group.method("lab.run", writes=True, errors=[MissingParams, WrongType])
def run_statements(call: Call, params: Run) -> bool:
    """Run statements."""
    driver: Any = call.connection.connection.driver_connection
    for each in params.sql:
        driver.execute(each)
    return True


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    with ExitStack() as stack:
        is_postgres = request.param == "postgres"
        url = stack.enter_context(postgres_database()) if is_postgres else ""
        lab = Lab(tmp_path_factory.mktemp("lab"), "" if is_postgres else ", two INTEGER")
        plugins: list[Any] = [landyard_undo, Plugin("lab", lab)]
        made = Service(plugins, world=WORLD, database_url=url, raise_crashes=False)
        stack.callback(made.close)
        yield made


def run(service: Service, *sql: str) -> Answer:
    answer = service.call("lab.run", {"sql": sql})
    assert answer.status == 200, service.crashes
    return answer


def undo(service: Service, answer: Answer) -> Answer:
    return service.call(UNDO, {"id": answer.request_id})


def elsewhere(service: Service) -> AbstractContextManager[sa.Connection]:
    """Start a transaction of another process."""
    return sa.create_engine(service.kernel.store.engine.url, poolclass=sa.NullPool).begin()


def rows(service: Service) -> dict[str, list[Any]]:
    """Read all rows of the plugin's tables."""
    with service.kernel.store.unit(writes=False) as unit:
        names = sa.inspect(unit.connection).get_table_names()
        return {
            name: list(unit.connection.exec_driver_sql(f"SELECT * FROM {name} ORDER BY 1"))
            for name in names
            if name.startswith("lab_")
        }


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(["DELETE FROM lab_parent"], id="rows that go with another"),
        pytest.param(
            [
                "UPDATE lab_odd SET told = 'b'",
                "DELETE FROM lab_odd",
                "INSERT INTO lab_odd (id, told) VALUES (1, 'c')",
            ],
            id="a row that is made anew",
        ),
        pytest.param(["""UPDATE lab_odd SET "this" = 'b'"""], id="this"),
        pytest.param(["""UPDATE lab_odd SET "a%b" = 'b'"""], id="percent"),
        pytest.param(["""UPDATE lab_odd SET "a$note$b" = 'b'"""], id="dollars"),
        pytest.param(["UPDATE lab_odd SET told = 'b', this_row = 'c', this_unit = 'd'"], id="ours"),
        pytest.param(["UPDATE lab_generated SET a = 3"], id="generated from what is changed"),
        pytest.param(["DELETE FROM lab_generated"], id="generated again"),
    ],
)
def test_a_call_is_undone(service: Service, changed: list[str]) -> None:
    before = rows(service)
    call = run(service, *changed)
    assert rows(service) != before

    answer = undo(service, call)

    assert answer.status == 200, (answer.body, service.crashes)
    assert rows(service) == before


@pytest.mark.parametrize(
    ("table", "later", "lost_column"),
    [
        ("lab_gone", ["DROP TABLE lab_gone"], "UNDO_NOT_POSSIBLE"),
        (
            "lab_other_name",
            ["ALTER TABLE lab_other_name RENAME TO lab_renamed"],
            "UNDO_NOT_POSSIBLE",
        ),
        (
            "lab_other_key",
            [
                "DROP TABLE lab_other_key",
                "CREATE TABLE lab_other_key (id INTEGER, a INTEGER, b TEXT, PRIMARY KEY (id, a))",
            ],
            "UNDO_NOT_POSSIBLE",
        ),
        ("lab_fewer", ["ALTER TABLE lab_fewer DROP COLUMN b"], None),
    ],
)
def test_a_column_changed_by_a_migration_is_refused_or_left_out(
    service: Service, table: str, later: list[str], lost_column: str | None
) -> None:
    call = run(service, f"DELETE FROM {table}")
    with elsewhere(service) as connection:
        for each in later:
            connection.exec_driver_sql(each)

    assert undo(service, call).error == lost_column, service.crashes


@pytest.mark.postgres
@pytest.mark.parametrize("service", ["postgres"], indirect=True)
def test_writes_go_on_after_a_column_changed_its_type(service: Service) -> None:
    run(service, "UPDATE lab_odd SET told = 'a', this_row = 'b'")
    with elsewhere(service) as connection:
        connection.exec_driver_sql("ALTER TABLE lab_odd ALTER told TYPE bytea USING told::bytea")
        connection.exec_driver_sql("SET LOCAL landyard.undo = 'on'")
        connection.exec_driver_sql("UPDATE lab_odd SET this_row = 'c'")

    run(service, "UPDATE lab_odd SET told = 'd'")


@pytest.mark.postgres
@pytest.mark.parametrize("service", ["postgres"], indirect=True)
@pytest.mark.parametrize("word", ["off", "false", "0", ""])
def test_a_session_with_triggers_disabled_can_write(service: Service, word: str) -> None:
    with service.kernel.store.engine.begin() as connection:
        count = sa.text("SELECT count(*) FROM undo_entry")
        before = connection.scalar(count)
        connection.exec_driver_sql(f"SET LOCAL landyard.undo = '{word}'")
        connection.exec_driver_sql("UPDATE lab_odd SET this_row = 'e'")
        assert connection.scalar(count) == before
