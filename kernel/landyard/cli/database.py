"""The command `db`: upgrades the database's schema."""

import click

from landyard.cli.console import Console
from landyard.cli.plugin_words import Extended


@click.group(cls=Extended)
def db() -> None:
    """The database: its schema, and backups."""


@db.command()
@click.pass_obj
def upgrade(console: Console) -> None:
    """Bring the schema up to date, all of it or nothing."""
    with console.kernel(prepare=False) as kernel:
        behind = kernel.schema.behind(kernel.store)
        kernel.schema.upgrade(kernel.store)
        if behind:
            kernel.store.run(lambda unit: console.record(kernel, unit), writes=True)
    console.say("the database is up to date")
