"""The command `audit`: shows who changed what, filtered by the given options."""

import re
import shutil
import sys
from datetime import UTC, datetime, timedelta

import click
from sqlalchemy import func, select

from landyard import Console, json_option, table_of
from landyard_audit.rows import OK, AuditRow

_ROW = table_of(AuditRow).c
_COLUMNS = ("at", "user_id", "credential", "address", "method", "subject", "outcome", "seconds")
_NARROW = ("at", "credential", "method", "subject", "outcome")
_WIDE = 120  # characters: less than that holds no line with all of them
_ANY_NUMBER = 2**63 - 1  # what databases hold
_AGO = re.compile(r"(\d{1,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _moment(_context: object, _option: object, value: str | None) -> datetime | None:
    """Read `30m`, `12h`, `7d`, or a moment in ISO 8601, in UTC unless it says otherwise."""
    if value is None:
        return None
    try:
        if ago := _AGO.fullmatch(value):
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"'{value}' is no moment: write 30m, 12h, 7d or 2026-01-31T12:00"
        ) from None


@click.command()
@click.option("--user", "user_id", type=click.IntRange(0, _ANY_NUMBER), help="Calls of this user.")
@click.option("--credential", help="Calls of one credential, e.g. webhook:3.")
@click.option("--address", help="Calls that came from this address.")
@click.option("--method", help="Calls of one method, e.g. landing.landing.delete.")
@click.option("--about", "subject", help="What calls were about, e.g. page:10.")
@click.option("--outcome", help="'ok', or the code of an error.")
@click.option("--failed", is_flag=True, help="Whatever was refused or crashed.")
@click.option("--request", "request_id", help="The call with this X-Request-Id.")
@click.option("--since", callback=_moment, help="30m, 12h, 7d, or e.g. 2026-01-31T12:00.")
@click.option(
    "--last", type=click.IntRange(1, _ANY_NUMBER), default=50, show_default=True, help="How many."
)
@json_option
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
    **said: str | int | None,
) -> None:
    """Show who changed what: calls that write, the latest last.

    Each has its user, credential and address, the method and what it was about, what came of it
    and how long it took; what was sent is not kept. --json adds the plugin and the request's id.
    Below 120 columns a terminal shows the more important ones.
    """
    wanted = [_ROW[name] == value for name, value in said.items() if value is not None]
    if method is not None:
        wanted.append(func.lower(_ROW.method) == method.lower())
    if failed:
        wanted.append(_ROW.outcome != OK)
    if since is not None:
        wanted.append(_ROW.at >= since)
    columns = ("id", *_COLUMNS, "plugin", "version", "request_id") if as_json else _fitting()
    query = select(*(_ROW[name] for name in columns)).where(*wanted)
    query = query.order_by(_ROW.id.desc()).limit(last)
    with console.kernel() as kernel, kernel.store.session() as session:
        rows = [tuple(row) for row in session.execute(query)][::-1]
    console.table(columns, rows, as_json=as_json)


def _fitting() -> tuple[str, ...]:
    """Choose the columns that a terminal has the width for; a pipe has it for all."""
    narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < _WIDE
    return _NARROW if narrow else _COLUMNS
