"""Reads dates of callers (P5), and writes dates for answers (B6)."""

import functools
import re
from datetime import UTC, datetime, tzinfo
from typing import Any

from msgspec import Struct
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from landyard import Moment, WrongType

_ISO = re.compile(r"[0-9W-]+([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?")
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_FORMATS = {
    "%d.%m.%Y %H:%M:%S": re.compile(rf"[0-9]{{2}}\.[0-9]{{2}}\.[0-9]{{4}} {_TIME}"),
    "%m/%d/%Y %I:%M:%S %p": re.compile(rf"[0-9]{{2}}/[0-9]{{2}}/[0-9]{{4}} {_TIME} [AP]M"),
}
FORMS = "an ISO 8601 date, DD.MM.YYYY HH:MM:SS or MM/DD/YYYY HH:MM:SS am"
"""The accepted forms of a date, for error texts."""


class Dates(Struct, frozen=True):
    """Dates as callers send them and as answers have them, in the service's time zone."""

    zone: tzinfo

    def write(self, moment: datetime) -> str:
        """Write a date as the platform does: `09/13/2024 10:28:08 am` (B6)."""
        return _written(moment, self.zone)

    def read(self, text: str, name: str, stored: datetime | None = None) -> datetime | None:
        """Read a date in UTC: without an offset it is in the zone; None for the empty text (P5).

        A date may have the form of answers. The answered form of `stored` is read as `stored`, with
        its fraction of a second. Raises `WrongType` of the parameter `name`.
        """
        text = text.strip().upper()
        if not text:
            return None
        if stored and text == self.write(stored).upper():
            return stored
        try:
            moment = _parsed(text)
            # Inside the `try`: a date at the ends of the calendar cannot be converted to UTC.
            return (moment if moment.tzinfo else moment.replace(tzinfo=self.zone)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise WrongType.of(name, FORMS) from None

    def read_seconds(self, text: str, name: str) -> tuple[datetime, ...]:
        """Read the moments of a date as `read` does, to the second; none for the empty text.

        Where the clocks are set back, a date without an offset stands for two moments.
        """
        first = self.read(text, name)
        if first is None:
            return ()
        moments = {first}
        if _parsed(text.strip().upper()).tzinfo is None:
            moments.add(first.astimezone(self.zone).replace(fold=1).astimezone(UTC))
        return tuple(sorted(moment.replace(microsecond=0) for moment in moments))


@functools.lru_cache(maxsize=4096)
def _written(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return local.strftime("%m/%d/%Y %I:%M:%S ") + ("am" if local.hour < 12 else "pm")


def _parsed(text: str) -> datetime:
    for form, pattern in _FORMATS.items():
        if pattern.fullmatch(text):
            return datetime.strptime(text, form)  # noqa: DTZ007 - the zone is not in it
    if not _ISO.fullmatch(text):
        raise ValueError(text)
    return datetime.fromisoformat(text)


class second_of(FunctionElement[datetime]):  # noqa: N801 - named as SQL functions are
    """The SQL function that cuts a column's moment to the second, as dates are answered."""

    type = Moment()
    inherit_cache = True


@compiles(second_of)
def _truncated(element: second_of, compiler: Any, **options: Any) -> str:
    return f"date_trunc('second', {compiler.process(element.clauses, **options)})"


@compiles(second_of, "sqlite")
def _cut(element: second_of, compiler: Any, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    return f"substr({column}, 1, 19) || '.000000'"
