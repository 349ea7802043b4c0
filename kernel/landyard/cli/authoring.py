"""The words for plugin authors: `plugins new`, `plugins check`."""

import sys
from pathlib import Path

import click

from landyard.checks import Level, UnknownPlugin, Verdict, examine
from landyard.console import Console
from landyard.discovery import found
from landyard.scaffold import ScaffoldError, write_package


@click.command("new")
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder to write the package into.",
)
@click.pass_obj
def new(console: Console, name: str, into: Path) -> None:
    """Write the package of a new plugin, with a method, a table and tests."""
    try:
        folder = write_package(name, into, {plugin.name for plugin in found()})
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from error
    console.say(
        f"{folder} is a plugin that works. Next:\n"
        f"  cd {folder}\n"
        "  pip install --editable .\n"
        "  python -m pytest\n"
        f"  landyard plugins check {name}"
    )


@click.command("check")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def check(console: Console, name: str, as_json: bool) -> None:
    """Examine an installed plugin; exits with 1 where it does not pass.

    It runs in a process of its own, on databases of its own. Warnings are advice.
    """
    try:
        verdict = examine(name)
    except UnknownPlugin as error:
        raise click.ClickException(str(error)) from error
    rows = [(finding.check, finding.level, finding.reason) for finding in verdict.findings]
    console.table(("check", "verdict", "reason"), rows, as_json=as_json)
    if not as_json:
        console.say(_said(verdict))
    if not verdict.passed:
        sys.exit(1)


def _said(verdict: Verdict) -> str:
    outcome = "passes" if verdict.passed else "does not pass"
    levels: tuple[Level, ...] = ("failure", "warning")
    counted = [
        f"{count} {level}{'' if count == 1 else 's'}"
        for level in levels
        if (count := verdict.count(level))
    ]
    return (
        f"{verdict.plugin} ({verdict.shipped_by}) {outcome}: {', '.join(counted) or 'all is well'}"
    )
