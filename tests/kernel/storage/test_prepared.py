"""Prepared statements: compiled once, run on the driver, with the same results as SQLAlchemy's
own.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from sqlite3 import connect
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from kernel.statements import noted
from msgspec import Struct
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import IntegrityError

from landyard import Moment, Prepared, Store, Write, one_of

NOTE = sa.Table(
    "prepared_note",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("code", sa.String, unique=True, nullable=False),
    sa.Column("at", Moment),
    sa.Column("said", sa.JSON, nullable=False, default={}),
    sa.Column("share", sa.Float, nullable=False, default=0.5),
    sa.Column("price", sa.Numeric(10, 2), nullable=False),
    sa.Column("shown", sa.Boolean, nullable=False, default=True),
)
AT = datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=UTC)
ADD = Prepared(sa.insert(NOTE).returning(NOTE.c.id), int)


class Note(Struct, frozen=True):
    code: str
    at: datetime | None
    said: Any
    share: float
    price: Decimal
    shown: bool


COLUMNS = [NOTE.c[name] for name in Note.__struct_fields__]
FIND = Prepared(sa.select(*COLUMNS).where(NOTE.c.id == sa.bindparam("id")), Note)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'x.db'}" if sqlite else request.getfixturevalue("postgres_url")
    made = Store(url)
    with made.rebuilding() as connection:
        NOTE.create(connection)
    yield made
    with made.rebuilding() as connection:
        NOTE.drop(connection)
    made.close()


def given(code: str, **more: Any) -> dict[str, Any]:
    return {"code": code, "at": AT, "said": {"a": [1, None]}, "price": Decimal("9.90"), **more}


def test_values_and_columns_are_converted_by_their_types(store: Store) -> None:
    there = timezone(timedelta(hours=5))
    with store.unit(writes=True) as unit:
        number = ADD.first(unit.connection, **given("x", at=AT.astimezone(there)))
        found = FIND.first(unit.connection, id=number)
        none = FIND.first(unit.connection, id=0)
        by_core = unit.connection.execute(FIND.statement, {"id": number}).one()

    assert found == Note("x", AT, {"a": [1, None]}, 0.5, Decimal("9.90"), shown=True)
    assert found == Note(*by_core)
    assert none is None


def test_a_time_is_written_as_SQLAlchemy_writes_it() -> None:
    dialect = sqlite.dialect()
    for at in (AT, AT.replace(year=7, microsecond=0), None):
        naive = at and at.replace(tzinfo=None)
        types = (kind.dialect_impl(dialect) for kind in (Moment(), sa.DateTime()))
        write, plain = (kind.bind_processor(dialect) for kind in types)
        assert write is not None
        assert plain is not None
        assert write(at) == plain(naive)


def test_statements_written_together_are_all_executed(store: Store) -> None:
    columns = ("code", "said", "share", "price", "shown")
    add = Prepared(sa.insert(NOTE).values({each: sa.bindparam(each) for each in columns}))
    move = Prepared(
        sa.update(NOTE)
        .where(NOTE.c.code == sa.bindparam("was"))
        .values(code=sa.bindparam("is"), at=sa.bindparam("moved_at", type_=Moment))
    )
    writes: list[Write] = [
        (move, {"was": "first", "is": "moved", "moved_at": AT}),
        (add, {"code": "added", "said": [1], "share": 0.1, "price": Decimal(1), "shown": True}),
    ]
    with store.unit(writes=True) as unit:
        ADD.first(unit.connection, **given("first", at=None))
        Prepared.run_together(unit.connection, writes)
        (_, again), (_, another) = writes
        again |= {"was": "moved", "is": "heard"}
        another |= {"code": "another"}
        with noted(store) as statements:
            Prepared.run_together(unit.connection, writes)

    with store.unit(writes=False) as unit:
        found = unit.connection.execute(sa.select(NOTE.c.code, NOTE.c.at).order_by(NOTE.c.code))
        assert list(map(tuple, found)) == [("added", None), ("another", None), ("heard", AT)]
    assert [text.partition(" ")[0] for text in statements] == ["UPDATE", "INSERT"]


@pytest.mark.postgres
def test_statements_written_together_reach_postgresql_as_one(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    execute = psycopg.Cursor.execute

    def counted(cursor: Any, query: Any, *given: Any, **more: Any) -> Any:
        sent.append(query)
        return execute(cursor, query, *given, **more)

    monkeypatch.setattr(psycopg.Cursor, "execute", counted)
    columns = ("code", "said", "share", "price", "shown")
    writes: list[Write] = []
    for name in "ab":
        binds = {each: sa.bindparam(f"{name}_{each}", type_=NOTE.c[each].type) for each in columns}
        row = {"code": name, "said": {}, "share": 0.1, "price": Decimal(1), "shown": True}
        values = {f"{name}_{each}": value for each, value in row.items()}
        writes.append((Prepared(sa.insert(NOTE).values(binds)), values))
    with closing(Store(postgres_url)) as store, store.unit(writes=True) as unit:
        NOTE.create(unit.connection)
        sent.clear()
        Prepared.run_together(unit.connection, writes)
        together = list(sent)
        codes = list(unit.connection.scalars(sa.select(NOTE.c.code).order_by(NOTE.c.code)))
        NOTE.drop(unit.connection)

    assert len(together) == 1
    assert codes == ["a", "b"]


def test_a_list_of_values_is_one_parameter(store: Store) -> None:
    several = Prepared(
        sa.select(NOTE.c.id).where(one_of(NOTE.c.code, "codes")).order_by(NOTE.c.code), int
    )
    with store.unit(writes=True) as unit:
        ids = [ADD.first(unit.connection, **given(code)) for code in ("x", 'y"', "z")]
        found = several.all(unit.connection, codes=['y"', "x", "nowhere"])
        empty = several.all(unit.connection, codes=[])
        by_core = list(unit.connection.scalars(several.statement, {"codes": ['y"', "x"]}))

    assert found == by_core == ids[:2]
    assert empty == []


def test_rows_by_a_list_of_values_are_found_through_their_index() -> None:
    several = sa.select(NOTE.c.code).where(one_of(NOTE.c.id, "ids"))
    text = str(several.compile(dialect=sqlite.dialect()))
    with closing(connect(":memory:")) as connection:
        connection.execute(str(sa.schema.CreateTable(NOTE).compile(dialect=sqlite.dialect())))
        plan = list(connection.execute(f"EXPLAIN QUERY PLAN {text}", ["[1]"]))

    assert "SEARCH prepared_note USING INTEGER PRIMARY KEY" in plan[0][-1]


def test_many_rows_are_written_at_once_and_the_changed_ones_counted(store: Store) -> None:
    add = Prepared(sa.insert(NOTE))
    hide = Prepared(sa.update(NOTE).where(NOTE.c.code != sa.bindparam("but")))
    with store.unit(writes=True) as unit:
        add.run_each(unit.connection, [given(code) for code in "abc"])
        add.run_each(unit.connection, [])
        changed = hide.run(unit.connection, but="b", shown=False)
        shown = Prepared(sa.select(NOTE.c.code).where(NOTE.c.shown)).all(unit.connection)

    assert changed == 2
    assert shown == [("b",)]


def test_values_inside_the_statement_need_not_be_passed(store: Store) -> None:
    first = Prepared(sa.select(NOTE.c.code).where(NOTE.c.id > 0).order_by(NOTE.c.id).limit(1), str)
    with store.unit(writes=True) as unit:
        for code in "ab":
            ADD.first(unit.connection, **given(code))
        assert first.all(unit.connection) == ["a"]


def test_a_bare_text_reads_and_writes(store: Store) -> None:
    with store.unit(writes=True) as unit:
        ADD.first(unit.connection, **given("x"))
        hidden = Prepared(sa.text("UPDATE prepared_note SET code = 'y'")).run(unit.connection)
        codes = Prepared(sa.text("SELECT code FROM prepared_note"), str).all(unit.connection)

    assert (hidden, codes) == (1, ["y"])


@pytest.mark.parametrize(
    ("values", "message"),
    [({}, "needs a value for 'id'"), ({"id": 1, "idd": 2}, "no parameter of the name 'idd'")],
)
def test_a_wrong_name_is_reported(store: Store, values: dict[str, Any], message: str) -> None:
    with store.unit(writes=False) as unit, pytest.raises(TypeError, match=message):
        FIND.first(unit.connection, **values)


def test_an_error_of_the_database_is_SQLAlchemys_without_the_values(store: Store) -> None:
    with store.unit(writes=True) as unit:
        ADD.first(unit.connection, **given("secret"))
        with pytest.raises(IntegrityError) as refused, unit.savepoint():
            ADD.first(unit.connection, **given("secret"))
        assert ADD.first(unit.connection, **given("other"))

    assert "secret" not in str(refused.value)


def test_a_writing_statement_is_refused_in_a_reading_call(store: Store) -> None:
    with pytest.raises(Exception, match="writes, and does not say so"):
        store.run(lambda unit: ADD.first(unit.connection, **given("x")), writes=False)


def test_listeners_on_statements_are_notified(store: Store) -> None:
    with noted(store) as statements, store.unit(writes=True) as unit:
        number = ADD.first(unit.connection, **given("x"))
        found = FIND.first(unit.connection, id=number)

    assert found == Note("x", AT, {"a": [1, None]}, 0.5, Decimal("9.90"), shown=True)
    assert [text.partition(" ")[0] for text in statements] == ["INSERT", "SELECT"]
