"""The command `audit`: prints rows of the audit log that match the options."""

import shutil
import sys
from datetime import UTC, datetime

import click
from sqlalchemy import select

from landyard import Console
from landyard_audit.search import MOMENT, ROW, conditions, read_moment

_COLUMNS = ("at", "user_id", "credential", "address", "method", "subject", "outcome", "seconds")
_NARROW = ("at", "credential", "method", "subject", "outcome")
_WIDE = 120  # characters: a narrower terminal cannot show all columns
_ANY_NUMBER = 2**63 - 1  # the largest integer of a database


def _moment(_context: object, _option: object, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return read_moment(value, datetime.now(UTC))
    except (ValueError, OverflowError):
        raise click.BadParameter(f"'{value}' is no time: write {MOMENT}") from None


@click.command()
@click.option("--user", "user_id", type=click.IntRange(0, _ANY_NUMBER), help="Calls of this user.")
@click.option("--credential", help="Calls of one credential, e.g. webhook:3.")
@click.option("--address", help="Calls that came from this address.")
@click.option("--method", help="Calls of one method, e.g. landing.landing.delete.")
@click.option("--about", "subject", help="Calls about this thing, e.g. page:10.")
@click.option("--outcome", help="Calls with this outcome: 'ok', or the code of an error.")
@click.option("--failed", is_flag=True, help="Calls that were refused or crashed.")
@click.option("--request", "request_id", help="The call with this X-Request-Id.")
@click.option(
    "--since", callback=_moment, help="Calls since then: 30m, 12h, 7d, or e.g. 2026-01-31T12:00."
)
@click.option(
    "--last",
    type=click.IntRange(1, _ANY_NUMBER),
    default=50,
    show_default=True,
    help="How many rows to show.",
)
@Console.json_option
@click.pass_obj
def audit(
    console: Console,
    /,
    *,
    method: str | None,
    failed: bool,
    since: datetime | None,
    last: int,
    as_json: bool,
    **filters: str | int | None,
) -> None:
    """Show the audit log: calls that write, the latest last.

    Each row has the user, credential and address, the method and its subject, the outcome and the
    duration; parameters are not stored. --json adds the plugin and the request's id. A terminal
    narrower than 120 characters shows fewer columns.
    """
    criteria = conditions(filters, method=method, failed=failed, since=since)
    columns = ("id", *_COLUMNS, "plugin", "version", "request_id") if as_json else _fitting()
    query = select(*(ROW[name] for name in columns)).where(*criteria)
    query = query.order_by(ROW.id.desc()).limit(last)
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        rows = [tuple(row) for row in unit.connection.execute(query)][::-1]
    console.table(columns, rows, as_json=as_json)


def _fitting() -> tuple[str, ...]:
    """Return the columns that fit the terminal's width; a pipe gets all of them."""
    narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < _WIDE
    return _NARROW if narrow else _COLUMNS
