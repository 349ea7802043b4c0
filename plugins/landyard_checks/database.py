"""`landyard db check`: whether a database has the tables that the models say."""

from typing import Any

import click

from landyard import METADATA, Console, Kernel


def drift(kernel: Kernel) -> list[str]:
    """List the differences between the database and the tables of the kernel and all plugins."""
    from alembic.autogenerate import compare_metadata  # slow to import
    from alembic.runtime.migration import MigrationContext

    ours = tuple(f"{branch.branch}_" for branch in kernel.schema.branches)

    def include(item: Any, name: str | None, kind: str, there: bool, wanted: Any) -> bool:
        if kind == "column" and there and wanted is None:
            return item.computed is None  # one that no model knows may be the database's own
        return kind != "table" or (name or "").startswith(ours)

    options = {"include_object": include, "compare_type": True}
    with kernel.store.unit(writes=False) as unit:
        context = MigrationContext.configure(unit.connection, opts=options)
        return [str(difference) for difference in compare_metadata(context, METADATA)]


@click.group()
def db() -> None:
    """The database: whether it is up to date."""


@db.command()
@click.pass_obj
def check(console: Console) -> None:
    """Check that the database can be used; exits with 1 if not."""
    with console.kernel(prepare=False) as kernel:
        if behind := ", ".join(kernel.schema.behind(kernel.store)):
            raise click.ClickException(f"the database lacks {behind}; run `landyard db upgrade`")
        if differs := drift(kernel):
            raise click.ClickException(f"the database differs from the models: {differs[0]}")
    console.say("the database is up to date")
