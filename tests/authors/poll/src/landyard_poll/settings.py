"""The section `[poll]` of landyard.toml."""

from typing import Annotated

from msgspec import Meta, Struct

MOST_CHOICES = 10


class PollSettings(Struct, frozen=True):
    """`choices` is how many choices a poll may have."""

    choices: Annotated[int, Meta(ge=2, le=MOST_CHOICES)] = MOST_CHOICES
