"""The settings in section `[guestbook]`: length of entries, entries per answer, days to keep."""

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct


class GuestbookSettings(Struct, frozen=True):
    """`longest`: the most characters of an entry. `page`: the number of entries in an answer.

    `keep_days`: entries older than this are removed; 0 keeps all.
    """

    longest: Annotated[int, Meta(ge=1)] = 500
    page: Annotated[int, Meta(ge=1, le=100)] = 20
    keep_days: Annotated[int, Meta(ge=0, le=36500)] = 365

    def keeps_from(self, now: datetime) -> datetime | None:
        """Return the earliest time of an entry to keep; None keeps all."""
        return now - timedelta(days=self.keep_days) if self.keep_days else None
