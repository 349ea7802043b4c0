"""A theme: tokens, fonts and a style sheet, brought by a plugin; one is built in."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from landyard import PluginError, Record
from landyard_landing.blocks.assets import Asset, address_of_asset
from landyard_landing.themes.codes import USUAL_THEME, is_theme_code
from landyard_landing.themes.contrast import low_pairs
from landyard_landing.themes.tokens import COLOURS, DARK, FONTS, NAMES, token_of

FOLDER = "themes"
"""Below `/assets/`: no block type has a code without a dot."""
SHEET = "theme.css"


class Face(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a font, as `@font-face` says it; `preload`: pages in Latin script need it."""

    family: str
    file: str
    weight: str
    range: str
    preload: bool = False


class Theme(Record, frozen=True):
    """What a site looks like: a value for each token, fonts, and the files that it is shown with.

    `fonts` are lists of families, as CSS has them, by the codes that the tokens `display` and
    `text` name. Where there are `files`, one is the style sheet `theme.css`.
    """

    code: str
    name: str = ""
    description: str = ""
    tokens: Mapping[str, str] = {}
    fonts: Mapping[str, str] = field(default_factory=lambda: FONTS)
    faces: tuple[Face, ...] = ()
    files: Mapping[str, Asset] = {}

    @property
    def key(self) -> str:
        return self.code

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:  # noqa: ARG002 - the hook's
        wrong = _wrong_code(self.code) or "; ".join(faults_of(self, {}))
        if wrong:
            raise PluginError(f"theme '{self.code}': {wrong}")

    @property
    def style(self) -> str:
        """The address of its style sheet; "" where it has none."""
        return self.address(SHEET) if SHEET in self.files else ""

    def address(self, file: str) -> str:
        """Return where one of its files is, for as long as it is the same."""
        return address_of_asset(f"{FOLDER}/{self.code}/{file}", self.files[file])


def faults_of(theme: Theme, overrides: Mapping[str, str]) -> list[str]:
    """Say what is wrong with a theme and a site's overrides of its tokens, which may be any texts.

    The contrast of colours is looked at where every value is as it must be.
    """
    tokens = {**theme.tokens, **overrides}
    wrong = [f"{name}: there is no such token" for name in tokens if token_of(name) is None]
    for name in NAMES:
        token, value = token_of(name), tokens.get(name, "")
        if token is not None and not token.takes(value, theme.fonts):
            wrong.append(f"{name}: it must be {token.wanted(theme.fonts)}")
    return wrong or [str(pair) for pair in low_pairs(schemes_of(tokens))]


def schemes_of(tokens: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the colours of the light and of the dark scheme."""
    return {
        "light": {name: tokens[name] for name in COLOURS},
        "dark": {name: tokens[DARK + name] for name in COLOURS},
    }


def worn(theme: Theme, overrides: Mapping[str, Any]) -> dict[str, str]:
    """Return a site's overrides as far as they may be shown with a theme.

    They were checked when they were set: but the theme may have become another since then.
    """
    known = {
        name: value
        for name, value in overrides.items()
        if (token := token_of(name)) and isinstance(value, str) and token.takes(value, theme.fonts)
    }
    coloured = any(is_colour(name) for name in known)
    if coloured and any(low_pairs(schemes_of({**theme.tokens, **known}))):
        known = {name: value for name, value in known.items() if not is_colour(name)}
    return known


def is_colour(name: str) -> bool:
    """Tell whether a token is a colour."""
    return name.removeprefix(DARK) in COLOURS


def _wrong_code(code: str) -> str:
    if code == USUAL_THEME:
        return "the built-in theme has this code; name it otherwise"
    if not is_theme_code(code):
        return "its code must be small letters, digits and underscores, such as 'night_market'"
    return ""
