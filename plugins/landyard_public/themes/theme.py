"""The record of a theme, with its tokens, fonts and files, and the checks of its values."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from landyard import PluginError, Record
from landyard_html.assets import Asset, address_of_asset
from landyard_landing import theme_codes
from landyard_public.themes.codes import is_theme_code
from landyard_public.themes.contrast import low_pairs
from landyard_public.themes.tokens import COLOURS, DARK, FONTS, NAMES, token_of

FOLDER = "themes"
"""The folder of themes below `/assets/`; it is no block type, whose codes have a dot."""
SHEET = "theme.css"


class Face(Struct, frozen=True, forbid_unknown_fields=True):
    """A font file with its descriptors for `@font-face`; `preload` for pages in Latin script."""

    family: str
    file: str
    weight: str
    range: str
    preload: bool = False


class Theme(Record, frozen=True):
    """A site's design: a value for each token, fonts, and the files that its pages load.

    `fonts` are CSS lists of families, by the codes in the tokens `display` and `text`. If there are
    `files`, one is the style sheet `theme.css`.
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
        """The address of the theme's style sheet; "" where it has none."""
        return self.address(SHEET) if SHEET in self.files else ""

    def address(self, file: str) -> str:
        """Write the address of one of the theme's files; it changes with the file's content."""
        return address_of_asset(f"{FOLDER}/{self.code}/{file}", self.files[file])


def faults_of(theme: Theme, overrides: Mapping[str, str]) -> list[str]:
    """List the errors of a theme with a site's overrides of its tokens, for error texts.

    The overrides may be any texts. Contrast is checked only where every value is valid.
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
    """Return the overrides of a site that are valid with a theme.

    They were checked when they were set, but the theme may have changed since.
    """
    valid = {
        name: value
        for name, value in overrides.items()
        if (token := token_of(name)) and isinstance(value, str) and token.takes(value, theme.fonts)
    }
    has_colours = any(is_colour(name) for name in valid)
    if has_colours and any(low_pairs(schemes_of({**theme.tokens, **valid}))):
        valid = {name: value for name, value in valid.items() if not is_colour(name)}
    return valid


def is_colour(name: str) -> bool:
    """Tell whether a token is a colour."""
    return name.removeprefix(DARK) in COLOURS


def _wrong_code(code: str) -> str:
    if code == theme_codes.USUAL_THEME:
        return "the built-in theme has this code; choose another"
    if not is_theme_code(code):
        return "its code must be small letters, digits and underscores, such as 'night_market'"
    return ""
