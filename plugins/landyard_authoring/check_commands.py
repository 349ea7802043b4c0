"""The command `landyard plugins check`."""

import sys

import click

from landyard import Console
from landyard_authoring.trial import UnknownPlugin, examine


@click.group()
def plugins() -> None:
    """Add a subcommand to the kernel's group `plugins`."""


@plugins.command()
@click.argument("name")
@Console.json_option
@click.pass_obj
def check(console: Console, name: str, as_json: bool) -> None:
    """Examine an installed plugin; exits with 1 if it does not pass.

    The plugin runs in a separate process with separate databases. Warnings are advice.
    """
    try:
        verdict = examine(name)
    except UnknownPlugin as error:
        raise click.ClickException(str(error)) from error
    rows = [(each.check, each.level, each.place, each.reason) for each in verdict.findings]
    console.table(("check", "verdict", "place", "reason"), rows, as_json=as_json)
    if not as_json:
        outcome = "passes" if verdict.passed else "does not pass"
        console.say(f"{verdict.plugin} ({verdict.shipped_by}) {outcome}")
    if not verdict.passed:
        sys.exit(1)
