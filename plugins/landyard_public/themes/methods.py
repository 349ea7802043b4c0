"""`landyard.theme.list`, `tokens`, `get` and `set`: the themes, and a site's choice."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from landyard import Call, CallError, Example, MethodGroup, MissingParams, NeededId, WrongType
from landyard_landing import errors, events, rights
from landyard_public.themes.default_theme import themes_with
from landyard_public.themes.site_looks import (
    PICTURES,
    SiteLook,
    find_look,
    hold_look,
    read_pictures,
    save_look,
)
from landyard_public.themes.theme import Theme, faults_of
from landyard_public.themes.tokens import NAMES, token_of

theme_methods = MethodGroup(scope="landing")
"""The methods `landyard.theme.*`."""
_MOST = 200  # characters of a code in an answer


class ThemeNotFound(CallError):
    code = "THEME_NOT_FOUND"
    text = "There is no such theme; landyard.theme.list lists the themes."


class TokenRefused(CallError):
    code = "TOKEN_REFUSED"
    text = "A token's value is invalid, or the contrast is too low to read the text."


class PictureNotFound(CallError):
    code = "SITE_PICTURE_NOT_FOUND"
    text = "No such file was uploaded to this site."


class ListThemes(Struct, frozen=True):
    """No parameters."""


class OfTheme(Struct, frozen=True):
    """`theme`: a theme's code; `name`: only the token of this name."""

    theme: str
    name: str = ""


class OfSite(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")


class SetTheme(OfSite, frozen=True):
    """`id`: a site's id; `theme`: a theme's code; `tokens`: values that replace the theme's.

    `logo`, `favicon`, `social`: ids or paths of pictures uploaded to the site.
    """

    theme: str | UnsetType = UNSET
    tokens: dict[str, Any] | UnsetType = UNSET
    logo: str | UnsetType = UNSET
    favicon: str | UnsetType = UNSET
    social: str | UnsetType = UNSET


class ListedToken(Struct, frozen=True):
    """A token of a theme: its value, and a description of valid values."""

    name: str
    kind: str
    value: str
    wanted: str


class ListedTheme(Struct, frozen=True):
    """A theme for sites."""

    code: str
    name: str
    description: str


class SiteTheme(Struct, frozen=True):
    """A site's theme, its own token values, and the paths of its pictures, or "".

    `active` is false if no active plugin has the theme; pages then use the built-in one.
    """

    theme: str
    active: bool
    tokens: dict[str, str]
    logo: str
    favicon: str
    social: str


@theme_methods.method(
    "landyard.theme.list",
    right="none",
    errors=[],
    example=Example(
        {},
        result=[
            {
                "code": "harbour",
                "name": "Harbour",
                "description": "Narrow letters over a bookish text, one round corner, the colours"
                " of a quay.",
            },
            {
                "code": "bench",
                "name": "Bench",
                "description": "A data sheet: typewriter headings, thin rules, a close grid, grey"
                " pictures, one green.",
            },
            {
                "code": "folio",
                "name": "Folio",
                "description": "A printed magazine: light serifs, hairlines, wide margins, one"
                " dark red.",
            },
            {
                "code": "studio",
                "name": "Studio",
                "description": "A product on a stage: round letters, round corners, filled"
                " buttons, strong colours.",
            },
        ],
    ),
)
def list_themes(call: Call, _params: ListThemes) -> list[ListedTheme]:
    """List the themes for sites, the built-in one first."""
    return [
        ListedTheme(theme.code, theme.name, theme.description) for theme in _themes(call).values()
    ]


@theme_methods.method(
    "landyard.theme.tokens",
    right="none",
    errors=[MissingParams, WrongType, ThemeNotFound],
    example=Example(
        {"theme": "folio", "name": "radius"},
        result=[
            {
                "name": "radius",
                "kind": "length",
                "value": "0rem",
                "wanted": "a length from 0rem to 2rem, such as 0.5rem or 8px",
            }
        ],
    ),
)
def list_tokens(call: Call, params: OfTheme) -> list[ListedToken]:
    """List the tokens of a theme, with their values and a description of valid values."""
    theme = _themes(call).get(params.theme)
    if theme is None:
        raise ThemeNotFound
    return [_listed(theme, name) for name in NAMES if params.name in ("", name)]


@theme_methods.method(
    "landyard.theme.get",
    right="view",
    errors=[MissingParams, WrongType, errors.AccessDenied],
    example=Example(
        {"id": 1},
        result={
            "theme": "harbour",
            "active": True,
            "tokens": {},
            "logo": "",
            "favicon": "",
            "social": "",
        },
    ),
)
def get_theme(call: Call, params: OfSite) -> SiteTheme:
    """Return the theme of a site, with its own token values and pictures."""
    site = find_look(call, params.site_id, rights.Right.VIEW)
    return SiteTheme(
        theme=site.theme,
        active=site.theme in _themes(call),
        tokens=dict(site.tokens),
        **{name: _text(site.fields.get(code)) for name, code in PICTURES.items()},
    )


@theme_methods.method(
    "landyard.theme.set",
    right="settings",
    writes=True,
    errors=[
        *(MissingParams, WrongType, errors.AccessDenied),
        *(ThemeNotFound, TokenRefused, PictureNotFound),
    ],
    example=Example({"id": 1, "tokens": {"radius": "0.5rem"}}, result=True),
)
def set_theme(call: Call, params: SetTheme) -> bool:
    """Set a site's theme, its own token values, and its pictures: all of them, or none.

    `tokens` are merged; an empty text restores the theme's value. Setting another `theme` drops
    earlier values. A colour has a value for light screens, `hot`, and one for dark ones,
    `dark.hot`. Values are refused if the contrast of text and ground falls below 4.5. `logo` is
    shown in a menu instead of its icon, `favicon` in the browser's tab, and `social` in previews of
    links to pages without a picture of their own; an empty text removes one. Page content does not
    change, and visitors see the theme at once. Needs the right to change settings.
    """
    site = hold_look(call, params.site_id, rights.Right.SETTINGS)
    theme, tokens = _new_theme(call, site, params)
    pictures = {name: getattr(params, name) for name in PICTURES}
    fields, missing = read_pictures(call, site, pictures)
    if missing:
        raise PictureNotFound(f"{missing}: no such file was uploaded to a page of this site.")
    if save_look(call, site, theme, tokens, fields):
        events.announce_site(call, "changed", site.id)
    return True


def _new_theme(call: Call, site: SiteLook, params: SetTheme) -> tuple[str, dict[str, str]]:
    """Return the theme's code and the site's own token values after the call."""
    code = site.theme if isinstance(params.theme, UnsetType) else params.theme
    theme = _themes(call).get(code)
    sent = {} if isinstance(params.tokens, UnsetType) else params.tokens
    if theme is None:
        if code == site.theme and not sent:
            return code, dict(site.tokens)  # the theme's plugin is off, but pictures may change
        raise ThemeNotFound
    tokens = dict(site.tokens) if code == site.theme else {}
    for name, value in sent.items():
        if token_of(name) is None:
            raise TokenRefused(f"tokens.{name[:_MOST]}: there is no such token.")
        tokens[name] = _text(value)
    tokens = {name: value for name, value in tokens.items() if value}
    if (sent or code != site.theme) and (wrong := faults_of(theme, tokens)):
        raise TokenRefused("; ".join(f"tokens.{each}" for each in wrong) + ".")
    return code, tokens


def _themes(call: Call) -> dict[str, Theme]:
    return dict(themes_with(call.records(Theme)))


def _listed(theme: Theme, name: str) -> ListedToken:
    token = token_of(name)
    assert token is not None
    return ListedToken(name, token.kind, theme.tokens[name], token.wanted(theme.fonts))


def _text(value: Any) -> str:
    """Return a value as a text; numbers are accepted, too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    return value.strip() if isinstance(value, str) else ("" if value is None else "?")
