"""The word `audit`."""

import re
import shutil
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import click
from sqlalchemy import func, select

from landyard.audit import OK, AuditRow
from landyard.console import Console

_ROW = AuditRow.__table__.c  # type: ignore[attr-defined]
_COLUMNS = ("at", "user_id", "credential", "address", "method", "subject", "outcome", "seconds")
_NARROW = ("at", "credential", "method", "subject", "outcome")
_WIDE = 120  # characters: less than that holds no line with all of them
_ANY_NUMBER = 2**63 - 1  # what databases hold
_AGO = re.compile(r"(\d{1,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


class _Since(click.ParamType[datetime]):
    name = "when"

    def convert(self, value: Any, _param: object, _ctx: object) -> datetime:
        """Read `30m`, `12h`, `7d`, or a moment in ISO 8601, in UTC unless it says otherwise."""
        if isinstance(value, datetime):
            return value
        if ago := _AGO.fullmatch(value):
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise click.BadParameter(
                f"'{value}' is no moment: write 30m, 12h, 7d or 2026-01-31T12:00"
            ) from None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        try:
            return moment.astimezone(UTC)
        except OverflowError:
            raise click.BadParameter(f"'{value}' is before or after all years") from None


@click.command()
@click.option(
    "--user", type=click.IntRange(0, _ANY_NUMBER), help="Calls of this user's credentials."
)
@click.option("--credential", help="Calls of one credential, e.g. webhook:3.")
@click.option("--address", help="Calls that came from this address.")
@click.option("--method", help="Calls of one method, e.g. landing.landing.delete.")
@click.option("--about", help="What calls were about, e.g. page:10.")
@click.option("--outcome", help="'ok', or the code of an error.")
@click.option("--failed", is_flag=True, help="Whatever was refused or crashed.")
@click.option("--request", help="The call with this X-Request-Id.")
@click.option("--since", type=_Since(), help="30m, 12h, 7d, or a moment such as 2026-01-31T12:00.")
@click.option(
    "--last",
    type=click.IntRange(1, _ANY_NUMBER),
    default=50,
    show_default=True,
    help="How many.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def audit(  # noqa: PLR0917 - click gives each option its parameter
    console: Console,
    user: int | None,
    credential: str | None,
    address: str | None,
    method: str | None,
    about: str | None,
    outcome: str | None,
    failed: bool,
    request: str | None,
    since: datetime | None,
    last: int,
    as_json: bool,
) -> None:
    """Show who changed what: calls of methods that write, the latest last.

    Each has its user, credential and address, the method and what it was about, what came of it
    and how long it took; what was sent is not kept. --json adds the plugin and the request's id.
    Below 120 columns a terminal shows the more important ones.
    """
    said = {
        _ROW.user_id: user,
        _ROW.credential: credential,
        _ROW.address: address,
        func.lower(_ROW.method): None if method is None else method.lower(),
        _ROW.subject: about,
        _ROW.outcome: outcome,
        _ROW.request_id: request,
    }
    wanted = [column == value for column, value in said.items() if value is not None]
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
