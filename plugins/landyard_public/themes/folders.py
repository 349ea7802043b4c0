"""Reads a plugin's themes from folders, one a theme, each named by the theme's code."""

from importlib.resources.abc import Traversable

import msgspec
from msgspec import Struct

from landyard import PluginError
from landyard_html.assets import read_asset
from landyard_public.themes.style_sheets import write_faces, write_tokens
from landyard_public.themes.theme import SHEET, Face, Theme
from landyard_public.themes.tokens import DARK, FONTS

DESCRIPTION = "theme.json"
_TEXTS = ("txt", "md")  # licences of fonts, which are not served


class _Described(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `theme.json`; `fonts` are lists of families by code."""

    name: str
    description: str
    light: dict[str, str]
    dark: dict[str, str]
    tokens: dict[str, str]
    fonts: dict[str, str] = {}
    faces: list[Face] = []


def read_themes(folder: Traversable) -> list[Theme]:
    """Read the themes of a plugin; each is a folder in `folder`, named by its code.

    It holds `theme.json`, optionally `theme.css` with rules that follow those of `landyard.css`,
    and the fonts and pictures that these files name. Every file is served as
    `/assets/themes/<code>/<file>`. Raises `PluginError` for a folder of another shape.
    """
    folders = sorted(folder.iterdir(), key=lambda each: each.name)
    return [
        _theme(each) for each in folders if each.is_dir() and not each.name.startswith(("_", "."))
    ]


def _theme(folder: Traversable) -> Theme:
    code = folder.name
    found = [each for each in folder.iterdir() if each.is_file() and not each.name.startswith(".")]
    files = {each.name: each.read_bytes() for each in found}
    if DESCRIPTION not in files:
        raise PluginError(f"theme '{code}': there is no file {DESCRIPTION} in its folder")
    try:
        described = msgspec.json.decode(files.pop(DESCRIPTION), type=_Described)
    except msgspec.DecodeError as error:
        raise PluginError(f"theme '{code}': {DESCRIPTION} cannot be read: {error}") from error
    for face in described.faces:
        if face.file not in files:
            raise PluginError(f"theme '{code}': there is no file {face.file} in its folder")
    dark = {DARK + name: value for name, value in (described.light | described.dark).items()}
    theme = Theme(
        code,
        described.name,
        described.description,
        tokens={**described.light, **dark, **described.tokens},
        fonts=described.fonts | FONTS,
        faces=tuple(described.faces),
    )
    theme.check({})  # before its values are written into a style sheet
    own = files.pop(SHEET, b"").decode()
    served = {
        name: read_asset(name, content)
        for name, content in files.items()
        if name.rpartition(".")[2] not in _TEXTS
    }
    faces = write_faces(theme.faces, msgspec.structs.replace(theme, files=served).address)
    sheet = faces + write_tokens(theme.tokens, theme.fonts) + own
    served[SHEET] = read_asset(SHEET, sheet.encode())
    return msgspec.structs.replace(theme, files=served)
