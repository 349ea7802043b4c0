"""The settings of the section `[console]`."""

from typing import Annotated

from msgspec import Meta, Struct


class ConsoleSettings(Struct, frozen=True):
    """`session_hours`: how long somebody stays signed in.

    `host`: the only host that the console is at, such as `console.example`; empty: any.
    """

    session_hours: Annotated[int, Meta(ge=1, le=24 * 365)] = 12
    host: str = ""
