"""The settings in section `[visits]`: the number of days for which counts are kept."""

from typing import Annotated

from msgspec import Meta, Struct


class VisitSettings(Struct, frozen=True):
    """`days`: the number of days for which counts are kept."""

    days: Annotated[int, Meta(ge=1, le=3650)] = 400
