"""The settings of the section `[console]`."""

from typing import Annotated

from msgspec import Meta, Struct


class ConsoleSettings(Struct, frozen=True):
    """How long somebody stays signed in, in hours."""

    session_hours: Annotated[int, Meta(ge=1, le=24 * 365)] = 12
