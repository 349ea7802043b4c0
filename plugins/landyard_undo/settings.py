"""The settings of undo: how long calls can be undone, and how much is kept for it."""

from typing import Annotated

from msgspec import Meta, Struct


class UndoSettings(Struct, frozen=True):
    """Calls can be undone for so many `days`. The section `[undo]`.

    The oldest are forgotten sooner where what is kept comes to more than so many `rows` or `bytes`.
    """

    days: Annotated[float, Meta(gt=0, le=3_650)] = 30.0
    rows: Annotated[int, Meta(ge=1_000)] = 1_000_000
    bytes: Annotated[int, Meta(ge=1_000_000)] = 512 * 1024 * 1024
