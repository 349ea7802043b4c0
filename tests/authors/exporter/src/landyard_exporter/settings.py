"""The section `[exporter]` of landyard.toml."""

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct


class ExporterSettings(Struct, frozen=True):
    """`days`: older rows are deleted when `audit.forget` is called; 0 keeps all."""

    days: Annotated[int, Meta(ge=0, le=36500)] = 365

    def keeps_from(self, now: datetime) -> datetime | None:
        """Return the moment from which on rows are kept; None keeps all."""
        return now - timedelta(days=self.days) if self.days else None
