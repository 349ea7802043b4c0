"""The command `landyard files check`: compares the rows of files with the store."""

import click

from landyard import Console
from landyard_content.files import checking


@click.group()
def files() -> None:
    """The uploaded files: whether each is there."""


@files.command()
@click.option("--repair", is_flag=True, help="Remove files that no row names and nothing uses.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@Console.json_option
@click.pass_obj
def check(console: Console, repair: bool, yes: bool, as_json: bool) -> None:
    """Compare the uploaded files with their rows.

    It exits with 1 where one is wrong. A file is `missing`, has a `wrong size`, or is `without a
    row` for more than a day; it is `used without a row` where a page or a site mentions it. An
    `unknown` file is not of the service. `--repair` lists the files without a row that nothing
    uses, and removes them after a question. It removes no row: a missing file comes from a backup.
    """
    with console.host() as host:
        found = [*checking.compare(host)]
        rows = [(each.what, each.file, each.size) for each in found]
        console.table(("what", "file", "size"), rows, as_json=as_json)
        orphans = sum(each.what == "without a row" for each in found)
        if repair and orphans:
            if not yes:
                click.confirm(f"Remove {_files(orphans)} without a row?", abort=True, err=True)
            checking.remove(host, found)
            host.store.run(lambda unit: console.record(host, unit), writes=True)
            if not as_json:
                console.say(f"{_files(orphans)} removed")
    right = {"unknown", "without a row"} if repair else {"unknown"}
    if any(each.what not in right for each in found):
        raise click.exceptions.Exit(1)


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
