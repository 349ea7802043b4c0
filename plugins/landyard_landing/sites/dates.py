"""Dates as they are written on the wire (B6), and as callers write them (P5)."""

import functools
import re
from datetime import UTC, datetime, tzinfo

from landyard import WrongType, plain_digits

_ISO = re.compile(r"[0-9W-]+([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?")
_DOTTED = re.compile(r"[0-9]{2}\.[0-9]{2}\.[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}")
_WRITTEN = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} [AP]M")


@functools.lru_cache(maxsize=4096)
def write_moment(moment: datetime, zone: tzinfo) -> str:
    """Write a date as the platform does: `09/13/2024 10:28:08 am` (B6)."""
    local = moment.astimezone(zone)
    return local.strftime("%m/%d/%Y %I:%M:%S ") + ("am" if local.hour < 12 else "pm")


def read_moment(text: str, zone: tzinfo, name: str) -> datetime | None:
    """Read a date: in `zone` unless it says an offset, None for the empty text (P5).

    Raises `WrongType` of the parameter `name`.
    """
    text = text.strip().upper()
    if not text:
        return None
    try:
        moment = _parsed(text)
        # Here, for a date at the ends of the calendar has no UTC.
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise WrongType.of(name, "an ISO 8601 date or DD.MM.YYYY HH:MM:SS") from None


def read_written(text: str, zone: tzinfo, name: str) -> datetime | None:
    """Read a date as `read_moment` does, or as `write_moment` writes it."""
    text = text.strip().upper()
    if not _WRITTEN.fullmatch(text):
        return read_moment(text, zone, name)
    try:
        there = datetime.strptime(text, "%m/%d/%Y %I:%M:%S %p").replace(tzinfo=zone)
        return there.astimezone(UTC)
    except (ValueError, OverflowError):
        raise WrongType.of(name, "a date") from None


def _parsed(text: str) -> datetime:
    text = plain_digits(text).strip()
    if _DOTTED.fullmatch(text):
        return datetime.strptime(text, "%d.%m.%Y %H:%M:%S")  # noqa: DTZ007 - the zone is not in it
    if not _ISO.fullmatch(text):
        raise ValueError(text)
    return datetime.fromisoformat(text)
