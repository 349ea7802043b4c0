"""What operators can set, in the section `[guestbook]` of landyard.toml."""

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct


class GuestbookSettings(Struct, frozen=True):
    """`longest` is how many characters an entry may have, `page` how many entries one answer has.

    After `keep_days` an entry is forgotten; 0 keeps all.
    """

    longest: Annotated[int, Meta(ge=1)] = 500
    page: Annotated[int, Meta(ge=1, le=100)] = 20
    keep_days: Annotated[int, Meta(ge=0, le=36500)] = 365

    def keeps_from(self, now: datetime) -> datetime | None:
        """Return the moment from which on entries are kept; None keeps all."""
        return now - timedelta(days=self.keep_days) if self.keep_days else None
