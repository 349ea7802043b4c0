"""The command `landyard db check`: compares tables with models, and finds dangling ids."""

from typing import Any

import click
from msgspec import Struct
from sqlalchemy import Column, Select, exists, inspect, select
from sqlmodel import SQLModel

from landyard import Console, Host

_MOST = 20  # reported rows per column


def drift(host: Host) -> list[str]:
    """List the differences between the database and the tables of the kernel and all plugins."""
    from alembic.autogenerate import compare_metadata  # slow to import
    from alembic.runtime.migration import MigrationContext

    ours = tuple(f"{branch.branch}_" for branch in host.plugins.schema.branches)

    def include(item: Any, name: str | None, kind: str, there: bool, wanted: Any) -> bool:
        if kind == "column" and there and wanted is None:
            return (
                item.computed is None
            )  # a computed column without a model may be the database's own
        return kind != "table" or (name or "").startswith(ours)

    options = {"include_object": include, "compare_type": True}
    with host.store.unit(writes=False) as unit:
        context = MigrationContext.configure(unit.connection, opts=options)
        return [str(difference) for difference in compare_metadata(context, SQLModel.metadata)]


class Dangling(Struct, frozen=True):
    """A row with a column that refers to a missing row."""

    table: str
    id: Any
    column: str
    names: Any

    def __str__(self) -> str:
        return f"{self.table} {self.id}: {self.column} {self.names}"


def dangling(host: Host) -> list[Dangling]:
    """List rows that refer to missing rows, at most 20 for each column.

    A column refers to rows by a foreign key or by `info={"names": "landing_page.id"}`.
    """
    with host.store.unit(writes=False) as unit:
        there = set(inspect(unit.connection).get_table_names())
        tables = [each for each in SQLModel.metadata.sorted_tables if each.name in there]
        return [
            Dangling(column.table.name, row[0], column.name, row[1])
            for table in tables
            for column in table.columns
            for target in _named(column)
            if target.table.name in there
            for row in unit.connection.execute(_gone(column, target))
        ]


def _named(column: Column[Any]) -> list[Column[Any]]:
    names = [key.target_fullname for key in column.foreign_keys]
    named = (name.partition(".") for name in (*names, column.info.get("names", "")))
    tables = SQLModel.metadata.tables
    return [tables[of].c[key] for of, _, key in named if of in tables]


def _gone(column: Column[Any], target: Column[Any]) -> Select[Any]:
    named, key = target.table.alias().c[target.name], next(iter(column.table.primary_key))
    there = exists().where(named == column)
    return select(key, column).where(column.is_not(None), ~there).order_by(key).limit(_MOST)


@click.group()
def db() -> None:
    """Commands on the database."""


@db.command()
@click.pass_obj
def check(console: Console) -> None:
    """Check that the database is up to date and its rows are whole.

    Rows are whole if they refer to existing rows. Exits with 1 if not.
    """
    with console.host(prepare=False) as host:
        if behind := ", ".join(host.plugins.schema.behind(host.store)):
            raise click.ClickException(f"the database lacks {behind}; run `landyard db upgrade`")
        if differs := drift(host):
            raise click.ClickException(f"the database differs from the models: {differs[0]}")
        if missing := dangling(host):
            rows = "".join(f"\n  {each}" for each in missing)
            raise click.ClickException(
                f"these rows refer to missing rows: name another row there, or none{rows}"
            )
    console.say("the database is up to date")
