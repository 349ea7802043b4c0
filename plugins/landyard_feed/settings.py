"""The settings in section `[feed]`: how long events are stored, and limits of listeners."""

from typing import Annotated

from msgspec import Meta, Struct


class FeedSettings(Struct, frozen=True):
    """`kept_hours`: how long events are stored for listeners that reconnect.

    `listeners`: the most listeners of a worker. `listeners_each`: the most listeners of one user.
    """

    kept_hours: Annotated[int, Meta(ge=1, le=24 * 90)] = 24
    listeners: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    listeners_each: Annotated[int, Meta(ge=1, le=100_000)] = 50
