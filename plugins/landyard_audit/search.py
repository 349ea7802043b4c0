"""Search conditions on the audit log, for the command and the method."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, func

from landyard_audit.rows import AUDIT_ROW, OK

ROW = AUDIT_ROW.c
"""The columns of the audit's rows."""
MOMENT = "30m, 12h, 7d or 2026-01-31T12:00"
"""The formats that `read_moment` accepts, for messages."""
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
    filters: Mapping[str, str | int | None],
    *,
    method: str | None,
    failed: bool,
    since: datetime | None,
) -> list[ColumnElement[bool]]:
    """Return conditions on rows; `filters` are values by column, and None matches any value."""
    criteria: list[ColumnElement[bool]] = [
        ROW[name] == value for name, value in filters.items() if value is not None
    ]
    if method is not None:
        criteria.append(func.lower(ROW.method) == method.lower())
    if failed:
        criteria.append(ROW.outcome != OK)
    if since is not None:
        criteria.append(ROW.at >= since)
    return criteria
