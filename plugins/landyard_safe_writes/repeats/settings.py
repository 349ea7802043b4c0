"""The settings in section `[repeats]`: the lifetime of keys and the size of answers."""

from typing import Annotated

from msgspec import Meta, Struct


class RepeatSettings(Struct, frozen=True):
    """`hours`: how long keys are stored. `answer_bytes`: the largest answer to store.

    A call with a key is refused and rolled back if its answer is larger than `answer_bytes`.
    """

    hours: Annotated[float, Meta(gt=0, le=8_760)] = 24.0
    answer_bytes: Annotated[int, Meta(ge=1_000, le=64 * 1024 * 1024)] = 1024 * 1024
