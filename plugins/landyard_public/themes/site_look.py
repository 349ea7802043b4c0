"""A site's style sheets, fonts, logo and icon, by its theme and its own values."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import Prepared
from landyard_html.addresses import media_address
from landyard_html.assets import Asset, address_of_asset, read_asset
from landyard_landing import tables
from landyard_public.themes.default_theme import HARBOUR
from landyard_public.themes.style_sheets import write_logo, write_tokens
from landyard_public.themes.theme import FOLDER, Theme, is_colour, worn
from landyard_public.themes.tokens import DARK

LOGO = "LOGO_PICTURE"
"""The site's additional field with the path of the logo in menus."""
FAVICON = "FAVICON_PICTURE"
"""The site's additional field with the path of the picture in a browser's tab."""
SOCIAL = "METAOG_IMAGE"
"""The site's additional field with the path of its share image."""
_SITE = Prepared(
    select(tables.SITE.theme, tables.SITE.theme_tokens, tables.SITE.additional_fields).where(
        tables.SITE.id == bindparam("site_id"), ~tables.SITE.deleted
    )
)
# Languages in scripts for which no theme has a font: no font is preloaded.
_OTHER_SCRIPTS = frozenset(
    {"ar", "fa", "he", "ur", "ps", "ckb", "yi", "ru", "uk", "be", "bg", "sr", "mk", "kk", "ky"}
    | {"mn", "tg", "el", "hy", "ka", "zh", "yue", "ja", "ko", "th", "lo", "km", "my", "hi", "mr"}
    | {"ne", "bn", "ta", "te", "ml", "kn", "gu", "pa", "si", "am", "ti", "dv", "sd", "ug"}
)


class Look(Struct, frozen=True):
    """The addresses of the style sheets, fonts and icon that a site's pages load."""

    styles: tuple[str, ...] = ()
    fonts: tuple[str, ...] = ()
    icon: str = ""


PLAIN = Look()
"""The look of a site of the built-in theme that has nothing of its own."""


def look_of_site(
    connection: Connection, site_id: int, themes: Mapping[str, Theme], language: str
) -> Look:
    """Return the look of a site for a page that is not stored; see `look_of`."""
    row = _SITE.first(connection, site_id=site_id)
    if row is None:
        return PLAIN
    code, overrides, fields = row
    return look_of(site_id, code, overrides, fields, themes, language)


def look_of(  # noqa: PLR0917 - what a site's row holds
    site_id: int,
    code: str,
    overrides: Any,
    fields: Mapping[str, Any],
    themes: Mapping[str, Theme],
    language: str,
) -> Look:
    """Return the look of a site's page in `language`; `themes` are those of plugins.

    Where the site's theme is missing, since its plugin is off, the built-in theme is used without
    the site's own values, which were chosen for the missing theme.
    """
    theme = _theme(code, themes)
    own = site_sheet(site_id, theme, overrides if theme.code == code else {}, fields)
    styles = (theme.style, address_of_asset(own.name, own) if own else "")
    latin = language.partition("-")[0] not in _OTHER_SCRIPTS
    fonts = tuple(theme.address(face.file) for face in theme.faces if face.preload and latin)
    return Look(tuple(filter(None, styles)), fonts, _picture(fields, FAVICON))


def find_sheet(connection: Connection, name: str, themes: Mapping[str, Theme]) -> Asset | None:
    """Find the sheet of a site's own values by its name below `/assets/themes/`, `site-7.css`."""
    number = name.removeprefix("site-").removesuffix(".css")
    if name != f"site-{number}.css" or not number.isdecimal() or len(number) > 9:
        return None
    row = _SITE.first(connection, site_id=int(number))
    if row is None:
        return None
    code, overrides, fields = row
    theme = _theme(code, themes)
    return site_sheet(int(number), theme, overrides if theme.code == code else {}, fields)


def site_sheet(
    site_id: int, theme: Theme, overrides: Any, fields: Mapping[str, Any]
) -> Asset | None:
    """Write the style sheet of a site's own values and its logo; None where it has neither."""
    tokens = worn(theme, overrides if isinstance(overrides, dict) else {})
    # This sheet comes last, so the theme's dark colours are repeated: a site's light colour would
    # override them.
    kept = {
        DARK + name: theme.tokens[DARK + name]
        for name in tokens
        if is_colour(name) and not name.startswith(DARK)
    }
    sheet = write_tokens({**kept, **tokens}, theme.fonts) + write_logo(_picture(fields, LOGO))
    return read_asset(f"{FOLDER}/site-{site_id}.css", sheet.encode()) if sheet else None


def _theme(code: str, themes: Mapping[str, Theme]) -> Theme:
    return themes.get(code) or HARBOUR


def _picture(fields: Mapping[str, Any], name: str) -> str:
    """Return the path of a picture of this server; "" for any other address."""
    value = fields.get(name)
    address = media_address(value) if isinstance(value, str) else None
    return address if address and address.startswith("/") and address[1:2] != "/" else ""
