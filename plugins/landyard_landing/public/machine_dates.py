"""Dates for programs: only days, hours and moments that there are, written as ISO 8601 has them."""

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
    """Read the day that a text begins with; "" where it begins with none that there is."""
    found = _DAY.match(plain_digits(text).strip())
    return found[0] if found and _is(date, found[0]) else ""


def read_moment(text: str, day: str = "") -> str:
    """Read a day or a moment; an hour alone is one of `day`. "" where it is none that there is."""
    plain = plain_digits(text).strip()
    if _DAY.fullmatch(plain):
        return plain if _is(date, plain) else ""
    if _MOMENT.fullmatch(plain):
        return plain.replace(" ", "T") if _is(datetime, plain) else ""
    return f"{day}T{plain}" if day and _HOUR.fullmatch(plain) and _is(time, plain) else ""


def with_dates(content: str) -> str:
    """Write the HTML of a block without `datetime` attributes that browsers read no date in."""
    return _ATTRIBUTE.sub(_dated, content) if 'datetime="' in content else content


def _dated(found: re.Match[str]) -> str:
    plain = plain_digits(found[2]).strip()
    hour = read_moment(plain, "2000-01-01")
    known = read_moment(plain) or (plain if hour or _PART.fullmatch(plain) else "")
    return f'{found[1]} datetime="{known}"' if known else found[1]


def _is(kind: type[date] | type[time], text: str) -> bool:
    try:
        return bool(kind.fromisoformat(text)) or True  # midnight is an hour as well
    except ValueError:
        return False
