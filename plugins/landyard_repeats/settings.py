"""The settings of repeats: how long keys are kept, and how large an answer may be."""

from typing import Annotated

from msgspec import Meta, Struct


class RepeatSettings(Struct, frozen=True):
    """Keys are kept for so many `hours`. The section `[repeats]`.

    A call with a key whose answer is larger than `answer_bytes` is refused, and not done.
    """

    hours: Annotated[float, Meta(gt=0, le=8_760)] = 24.0
    answer_bytes: Annotated[int, Meta(ge=1_000, le=64 * 1024 * 1024)] = 1024 * 1024
