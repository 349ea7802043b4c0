"""Looking rows of the audit up, for the command line and for calls."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, func

from landyard_audit.rows import AUDIT_ROW, OK

ROW = AUDIT_ROW.c
"""The columns of the audit's rows."""
MOMENT = "30m, 12h, 7d or 2026-01-31T12:00"
"""What `read_moment` reads, as people are told of it."""
_AGO = re.compile(r"(\d{1,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def read_moment(text: str, now: datetime) -> datetime:
    """Read `30m`, `12h`, `7d`, or a moment in ISO 8601, in UTC unless it says otherwise.

    Raises `ValueError` or `OverflowError`.
    """
    if ago := _AGO.fullmatch(text):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def conditions(
    said: Mapping[str, str | int | None],
    *,
    method: str | None,
    failed: bool,
    since: datetime | None,
) -> list[ColumnElement[bool]]:
    """Say which rows are meant: `said` is by column, and None is any value."""
    wanted: list[ColumnElement[bool]] = [
        ROW[name] == value for name, value in said.items() if value is not None
    ]
    if method is not None:
        wanted.append(func.lower(ROW.method) == method.lower())
    if failed:
        wanted.append(ROW.outcome != OK)
    if since is not None:
        wanted.append(ROW.at >= since)
    return wanted
