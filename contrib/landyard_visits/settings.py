"""What operators set about visits, in the section `[visits]` of landyard.toml."""

from typing import Annotated

from msgspec import Meta, Struct


class VisitSettings(Struct, frozen=True):
    """`days`: how long counts are kept."""

    days: Annotated[int, Meta(ge=1, le=3650)] = 400
