"""Writes the CSS of themes and sites: custom properties, `@font-face` rules, the logo."""

from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote

from landyard_public.themes.theme import Face
from landyard_public.themes.tokens import DARK, declared

# The icon is a mask in the colour of the text. A logo has its own colours, so it is no mask.
_LOGO = (
    '.ly-brand .ly-icon {{ width: var(--logo-width); height: 2.5rem; background: url("{}") 0'
    " / contain no-repeat; -webkit-mask: none; mask: none; forced-color-adjust: none; }}\n"
    '[dir="rtl"] .ly-brand .ly-icon {{ background-position: 100%; }}\n'
)


def write_tokens(tokens: Mapping[str, str], fonts: Mapping[str, str]) -> str:
    """Write valid tokens as custom properties of the light and the dark scheme."""
    light = {name: value for name, value in tokens.items() if not name.startswith(DARK)}
    dark = {
        name.removeprefix(DARK): value for name, value in tokens.items() if name.startswith(DARK)
    }
    sheet = f":root {{ {_properties(light, fonts)} }}\n" if light else ""
    if dark:
        sheet += (
            f"@media (prefers-color-scheme: dark) {{ :root {{ {_properties(dark, fonts)} }} }}\n"
        )
    return sheet


def write_faces(faces: Iterable[Face], address: Callable[[str], str]) -> str:
    """Write `@font-face` rules; `address(file)` is a file's address, as pages preload it.

    `font-display: optional` leaves a late font to the next page, so that no page's text moves.
    """
    return "".join(
        f'@font-face {{ font-family: "{face.family}"; font-weight: {face.weight};'
        f' font-display: optional; src: url("{address(face.file)}") format("woff2");'
        f" unicode-range: {face.range} }}\n"
        for face in faces
    )


def write_logo(path: str) -> str:
    """Write the rules that show a picture of this server in place of a menu's icon."""
    return _LOGO.format(quote(path, safe="/%")) if path else ""


def _properties(tokens: Mapping[str, str], fonts: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in declared(tokens, fonts).items())
