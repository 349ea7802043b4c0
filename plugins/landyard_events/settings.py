"""The settings in section `[events]`: tries of a delivery, pauses between them, time limit."""

from typing import Annotated

from msgspec import Meta, Struct


class EventSettings(Struct, frozen=True):
    """`tries`: tries of a delivery before it becomes a dead letter.

    `pause`: seconds until the second try; each further pause is four times as long, at most six
    hours, varied by a fifth. `seconds`: the time limit of a try, unless the subscriber has its own.
    """

    tries: Annotated[int, Meta(ge=1, le=100)] = 10
    pause: Annotated[float, Meta(gt=0, le=3600)] = 5.0
    seconds: Annotated[float, Meta(gt=0, le=600)] = 30.0
