"""Reads valid dates and times from texts of pages, and writes them in ISO 8601 for programs."""

import re
from datetime import date, datetime, time

from landyard import plain_digits

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_HOUR = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?")
_PART = re.compile(  # a month, a day of every year, a year, a week, a duration
    r"[0-9]{4}-(?:0[1-9]|1[0-2])|(?:--)?(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|[0-9]{4}"
    r"|[0-9]{4}-W(?:0[1-9]|[1-4][0-9]|5[0-3])"
    r"|P(?=.)(?:[0-9]+W|(?:[0-9]+D)?(?:T(?=.)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?)"
)
_ATTRIBUTE = re.compile(r'(<(?:time|del|ins)\b[^<>]*?)\sdatetime="([^"]*)"')


def read_day(text: str) -> str:
    """Read the day at the start of a text, as `YYYY-MM-DD`; "" where there is no valid one."""
    found = _DAY.match(plain_digits(text).strip())
    return found[0] if found and _is(date, found[0]) else ""


def read_moment(text: str, day: str = "") -> str:
    """Read a day or a moment; a time alone is one on `day`. "" where it is not valid."""
    plain = plain_digits(text).strip()
    if _DAY.fullmatch(plain):
        return plain if _is(date, plain) else ""
    if _MOMENT.fullmatch(plain):
        return plain.replace(" ", "T") if _is(datetime, plain) else ""
    return f"{day}T{plain}" if day and _HOUR.fullmatch(plain) and _is(time, plain) else ""


def with_dates(content: str) -> str:
    """Normalise the `datetime` attributes in a block's HTML, and remove invalid ones."""
    return _ATTRIBUTE.sub(_dated, content) if 'datetime="' in content else content


def _dated(found: re.Match[str]) -> str:
    plain = plain_digits(found[2]).strip()
    hour = read_moment(plain, "2000-01-01")
    valid = read_moment(plain) or (plain if hour or _PART.fullmatch(plain) else "")
    return f'{found[1]} datetime="{valid}"' if valid else found[1]


def _is(kind: type[date] | type[time], text: str) -> bool:
    try:
        return bool(kind.fromisoformat(text)) or True  # midnight, which may be false, is valid
    except ValueError:
        return False
