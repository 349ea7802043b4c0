"""The settings in section `[pictures]`: widths of variants, and whether to make AVIF."""

from typing import Annotated

from msgspec import Meta, Struct, field

KINDS = {"WEBP": "webp", "AVIF": "avif"}
"""The kinds of variants, with the extensions of their files."""


class PictureSettings(Struct, frozen=True):
    """`widths`: the widths of variants, in pixels.

    `avif`: whether to make AVIF variants, too, which are smaller but take longer to make.
    """

    widths: Annotated[
        list[Annotated[int, Meta(ge=16, le=8192)]], Meta(min_length=1, max_length=10)
    ] = field(default_factory=lambda: [480, 960, 1600, 2400])
    avif: bool = True

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of variants, the preferred one first."""
        return ("AVIF", "WEBP") if self.avif else ("WEBP",)
