"""The built-in theme "Harbour", whose values are written into `landyard.css`."""

from collections.abc import Mapping

from landyard_landing import theme_codes
from landyard_public.themes.style_sheets import write_tokens
from landyard_public.themes.theme import Theme
from landyard_public.themes.tokens import COLOURS, DARK

_LIGHT = {
    "paper": "#f1f5f3",
    "tint": "#dfe9e6",
    "deep": "#0f3540",
    "keel": "#7d2a18",
    "veil": "#061e26",
    "ink": "#10282f",
    "soft": "#48606a",
    "rule": "#b9c8c6",
    "hot": "#ab3518",
    "on-hot": "#ffffff",
    "on-deep": "#eef6f3",
    "soft-deep": "#b3cbcb",
    "rule-deep": "#3a606a",
    "hot-deep": "#ffa47f",
    "on-hot-deep": "#20120c",
    "on-keel": "#fff3ea",
    "soft-keel": "#f2cdbd",
    "rule-keel": "#a8563f",
}
_DARK = _LIGHT | {
    "paper": "#0a1b21",
    "tint": "#10272e",
    "deep": "#16404b",
    "keel": "#5c1f12",
    "ink": "#e6f0ed",
    "soft": "#a2b8ba",
    "rule": "#2c464e",
    "hot": "#ff9b74",
    "on-hot": "#20120c",
    "soft-deep": "#bcd3d3",
    "rule-deep": "#3f6a75",
    "rule-keel": "#8a4431",
}
HARBOUR = Theme(
    theme_codes.USUAL_THEME,
    name="Harbour",
    description="Narrow letters over a bookish text, one round corner, the colours of a quay.",
    tokens={
        **_LIGHT,
        **{DARK + name: _DARK[name] for name in COLOURS},
        "display": "narrow",
        "text": "charter",
        "weight": "700",
        "scale": "1",
        "density": "1",
        "measure": "78rem",
        "radius": "0.2rem",
        "corner": "1.4rem",
        "stroke": "0.25rem",
        "picture": "leaf",
        "colouring": "plain",
        "logo": "wide",
    },
)
TOKENS_PLACE = b"/* Here the tokens of the theme harbour are written. */"
"""The comment in `landyard.css` that is replaced by the tokens."""


def with_tokens(sheet: bytes) -> bytes:
    """Write the theme's tokens into `landyard.css`, so that its pages load no other sheet."""
    return sheet.replace(TOKENS_PLACE, write_tokens(HARBOUR.tokens, HARBOUR.fonts).encode())


def themes_with(plugin_themes: Mapping[str, Theme]) -> Mapping[str, Theme]:
    """Return all themes by code: the built-in one, and those of plugins."""
    return {HARBOUR.code: HARBOUR, **plugin_themes}
