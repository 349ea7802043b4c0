"""The settings in section `[console]`: duration of sessions, and the console's host."""

from typing import Annotated

from msgspec import Meta, Struct


class ConsoleSettings(Struct, frozen=True):
    """`session_hours`: hours for which a user stays signed in.

    `host`: the only host that serves the console, such as `console.example`; empty: any.
    """

    session_hours: Annotated[int, Meta(ge=1, le=24 * 365)] = 12
    host: str = ""
