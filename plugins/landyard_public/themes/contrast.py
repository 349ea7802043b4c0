"""Measures the contrast of colours by WCAG 2.2, and finds a theme's pairs that are too close."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

LEAST = 4.5
"""The least ratio of a text and its background (WCAG 2.2, 1.4.3 AA)."""
WHITE = (255.0, 255.0, 255.0)
_VEIL = 0.66  # the least opacity of the veil between a cover's text and its picture

Rgb = tuple[float, float, float]
Colours = Mapping[str, str]

PAIRS = (
    *(("ink", "paper"), ("soft", "paper"), ("hot", "paper"), ("on-hot", "hot")),
    *(("ink", "tint"), ("soft", "tint"), ("hot", "tint")),
    *(
        ("on-deep", "deep"),
        ("soft-deep", "deep"),
        ("hot-deep", "deep"),
        ("on-hot-deep", "hot-deep"),
    ),
    *(("on-keel", "keel"), ("soft-keel", "keel"), ("on-deep", "veil")),
)
"""The colours of texts with those of their backgrounds; the `veil` is over a white picture."""


class LowPair(Struct, frozen=True):
    """A text colour and a background of a scheme, `light` or `dark`, with too low a contrast."""

    fore: str
    ground: str
    scheme: str
    ratio: float

    def __str__(self) -> str:
        behind = "veil over a white picture" if self.ground == "veil" else self.ground
        return (
            f"{self.fore} on {behind} ({self.scheme}) has a contrast of {self.ratio:.2f}; at least"
            f" {LEAST} is needed"
        )


def low_pairs(schemes: Mapping[str, Colours]) -> Iterator[LowPair]:
    """Find the pairs with too low a contrast, in each of the schemes."""
    for scheme, colours in schemes.items():
        for fore, ground in PAIRS:
            behind = read_colour(colours[ground])
            if ground == "veil":
                behind = _over(behind, WHITE, _VEIL)
            # Rounded down: a ratio shown as 4.5 is at least 4.5.
            ratio = int(contrast(read_colour(colours[fore]), behind) * 100) / 100
            if ratio < LEAST:
                yield LowPair(fore, ground, scheme, ratio)


def read_colour(text: str) -> Rgb:
    """Read a colour `#rrggbb` into its channels, 0 to 255."""
    red, green, blue = bytes.fromhex(text[1:])
    return float(red), float(green), float(blue)


def contrast(first: Rgb, second: Rgb) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (_linear(channel / 255) for channel in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return float(channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4)


def _over(above: Rgb, below: Rgb, share: float) -> Rgb:
    red, green, blue = (a * share + b * (1 - share) for a, b in zip(above, below, strict=True))
    return red, green, blue
