"""The command `db`: upgrades the database's schema, or checks that it is up to date."""

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
        kernel.schema.upgrade(kernel.store)
    console.say("the database is up to date")


@db.command()
@click.pass_obj
def check(console: Console) -> None:
    """Check that the database can be used; exits with 1 if not."""
    with console.kernel(prepare=False) as kernel:
        if behind := ", ".join(kernel.schema.behind(kernel.store)):
            raise click.ClickException(f"the database lacks {behind}; run `landyard db upgrade`")
        if drift := kernel.schema.drift(kernel.store):
            raise click.ClickException(f"the database differs from the models: {drift[0]}")
    console.say("the database is up to date")
