"""The design tokens of themes: their kinds, bounds and choices, and their CSS properties."""

import re
from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct

COLOURS = (
    *("paper", "tint", "deep", "keel", "veil"),
    *("ink", "soft", "rule", "hot", "on-hot"),
    *("on-deep", "soft-deep", "rule-deep", "hot-deep", "on-hot-deep"),
    *("on-keel", "soft-keel", "rule-keel"),
)
"""The colours, each with a value for light and one for dark screens (`dark.<name>`)."""
DARK = "dark."
FONTS = {
    "narrow": 'Bahnschrift, "DIN Alternate", "Nimbus Sans Narrow", "Liberation Sans Narrow",'
    ' "Franklin Gothic Medium", sans-serif-condensed, "Arial Narrow", sans-serif',
    "charter": 'Charter, "Bitstream Charter", "Sitka Text", Cambria, "Liberation Serif", Georgia,'
    " serif",
    "palatino": '"Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L",'
    ' "Book Antiqua", Georgia, serif',
    "sans": 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif',
    "mono": 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, "Liberation Mono",'
    " monospace",
}
"""The fonts of visitors' systems, which every theme offers besides its own."""
_ROUND = "clamp(1rem, 2.5vw, 2rem)"
_SHAPES = {"leaf": ("0.2rem", "clamp(4rem, 12vw, 10rem)", "0"), "round": (_ROUND,) * 3}
_SHAPES["square"] = ("0", "0", "0")
PICTURES = {
    name: {"picture-radius": corners, "picture-corner": one, "picture-rest": rest}
    for name, (corners, one, rest) in _SHAPES.items()
}
"""The shapes of pictures: one corner round on some pictures, all corners round, or none."""
TINTS = {
    "plain": "none",
    "quiet": "saturate(.72) contrast(.97)",
    "grey": "grayscale(1) contrast(1.06)",
    "vivid": "saturate(1.25) contrast(1.04)",
}
"""The CSS filters of pictures."""
LOGOS = {"wide": "min(8rem, 40vw)", "square": "2.5rem"}
"""The reserved width of a logo, so that its picture moves nothing when it loads."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_NUMBER = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3})?")
_LENGTH = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)(rem|px)")
_PIXELS = 16  # of one rem


class Token(Struct, frozen=True):
    """A value of a theme: its kind, its bounds (in rem for a length), and its choices."""

    name: str
    kind: Literal["colour", "font", "length", "number", "choice"]
    about: str
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()

    def wanted(self, fonts: Collection[str]) -> str:
        """Describe the valid values, for error texts; `fonts` are the codes of fonts."""
        if self.kind == "colour":
            return "a colour as #rrggbb"
        if self.kind == "length":
            return f"a length from {self.least:g}rem to {self.most:g}rem, such as 0.5rem or 8px"
        if self.kind == "number":
            return f"a number from {self.least:g} to {self.most:g}"
        return f"one of {', '.join(fonts if self.kind == 'font' else self.choices)}"

    def takes(self, value: str, fonts: Collection[str]) -> bool:
        """Tell whether a text is a valid value; `fonts` are the codes of fonts."""
        if self.kind == "colour":
            return _COLOUR.fullmatch(value) is not None
        if self.kind == "length":
            size = _rem(value)
            return size is not None and self.least <= size <= self.most
        if self.kind == "number":
            found = _NUMBER.fullmatch(value)
            return found is not None and self.least <= float(value) <= self.most
        return value in (fonts if self.kind == "font" else self.choices)


TOKENS: Mapping[str, Token] = {
    token.name: token
    for token in (
        *(Token(name, "colour", "") for name in COLOURS),
        Token("display", "font", "the face of headings, labels and buttons"),
        Token("text", "font", "the face of text"),
        Token(
            "weight",
            "choice",
            "the weight of headings",
            choices=("400", "500", "600", "700", "800"),
        ),
        Token("scale", "number", "the size of headings", 0.6, 1.2),
        Token("density", "number", "the room between blocks", 0.5, 1.5),
        Token("measure", "length", "the width of what is in a block", 48, 96),
        Token("radius", "length", "the corners of buttons, fields and cards", 0, 2),
        Token("corner", "length", "the one corner of a button that differs", 0, 2),
        Token("stroke", "length", "the thickness of lines", 0, 0.5),
        Token("picture", "choice", "the shape of pictures", choices=tuple(PICTURES)),
        Token("colouring", "choice", "how pictures are coloured", choices=tuple(TINTS)),
        Token("logo", "choice", "the shape of a logo", choices=tuple(LOGOS)),
    )
}
"""The tokens of themes by name; a site may override any of them."""
NAMES = (*TOKENS, *(DARK + name for name in COLOURS))
"""The tokens' names; a colour has two."""


def token_of(name: str) -> Token | None:
    """Find the token of a name; `dark.hot` is the token `hot`. None for an unknown name."""
    found = TOKENS.get(name.removeprefix(DARK))
    return found if found and (found.kind == "colour" or found.name == name) else None


def declared(tokens: Mapping[str, str], fonts: Mapping[str, str]) -> dict[str, str]:
    """Return the custom properties of valid tokens, with their CSS values by name."""
    found: dict[str, str] = {}
    for name, value in tokens.items():
        if name == "veil":
            found[name] = " ".join(str(part) for part in bytes.fromhex(value[1:]))
        elif name in ("display", "text"):
            found[name] = fonts[value]
        elif name == "picture":
            found |= PICTURES[value]
        elif name == "logo":
            found["logo-width"] = LOGOS[value]
        elif name == "colouring":
            found["picture-filter"] = TINTS[value]
        else:
            found[name] = value
    return found


def _rem(value: str) -> float | None:
    found = _LENGTH.fullmatch(value)
    if found is None:
        return None
    return float(found[1]) / (_PIXELS if found[2] == "px" else 1)
