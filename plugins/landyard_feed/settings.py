"""What operators set about feeds, in the section `[feed]` of landyard.toml."""

from typing import Annotated

from msgspec import Meta, Struct


class FeedSettings(Struct, frozen=True):
    """`kept_hours`: how long an event is kept for those who come back.

    `listeners`: how many may listen to one worker at a time.
    `listeners_each`: how many of them may be one user's.
    """

    kept_hours: Annotated[int, Meta(ge=1, le=24 * 90)] = 24
    listeners: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    listeners_each: Annotated[int, Meta(ge=1, le=100_000)] = 50
