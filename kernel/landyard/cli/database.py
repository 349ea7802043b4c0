"""The command `db`: upgrades the database's schema, or checks that it is up to date."""

import click

from landyard.cli.console import Console
from landyard.cli.plugin_words import plugin_words


class Extended(click.Group):
    """The kernel's commands of a word, followed by those of plugins' groups of the same name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *sorted(plugin_words(group=self.name or ""))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        return own or plugin_words(cmd_name, self.name or "").get(cmd_name)


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
    """Tell whether the database can be used as it is; exits with 1 where it cannot."""
    with console.kernel(prepare=False) as kernel:
        if behind := kernel.schema.behind(kernel.store):
            raise click.ClickException(
                f"the database lacks {', '.join(behind)}; run `landyard db upgrade`"
            )
        if drift := kernel.schema.drift(kernel.store):
            raise click.ClickException(f"the database differs from the models: {drift[0]}")
    console.say("the database is up to date")
