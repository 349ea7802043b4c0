"""`landyard.theme.list`, `tokens`, `get` and `set`: the themes, and which one a site has."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from landyard import Call, CallError, Example, MethodGroup, MissingParams, NeededId, WrongType
from landyard_landing import (
    NAMES,
    AccessDenied,
    Right,
    SiteChanged,
    Theme,
    announce_site,
    faults_of,
    themes_with,
    token_of,
)
from landyard_themes.sites import PICTURES, Dressed, dress, held, read_pictures, seen

themes = MethodGroup(scope="landing")
_MOST = 200  # characters of a code in an answer


class ThemeNotFound(CallError):
    code = "THEME_NOT_FOUND"
    text = "There is no such theme; landyard.theme.list tells which there are."


class TokenRefused(CallError):
    code = "TOKEN_REFUSED"
    text = "A token's value is not what it must be, or nobody could read the text."


class PictureNotFound(CallError):
    code = "SITE_PICTURE_NOT_FOUND"
    text = "No such file was uploaded to this site."


class ListThemes(Struct, frozen=True):
    """Nothing is sent."""


class OfTheme(Struct, frozen=True):
    """`theme`: a theme's code; `name`: only the token of this name."""

    theme: str
    name: str = ""


class OfSite(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")


class SetTheme(OfSite, frozen=True):
    """`id`: a site's id; `theme`: a theme's code; `tokens`: values in place of the theme's.

    `logo`, `favicon` and `social` are pictures uploaded to the site: their ids or their paths.
    """

    theme: str | UnsetType = UNSET
    tokens: dict[str, Any] | UnsetType = UNSET
    logo: str | UnsetType = UNSET
    favicon: str | UnsetType = UNSET
    social: str | UnsetType = UNSET


class ListedToken(Struct, frozen=True):
    """A token of a theme: its value, and what a site may say in place of that."""

    name: str
    kind: str
    value: str
    wanted: str


class ListedTheme(Struct, frozen=True):
    """A theme that sites may have."""

    code: str
    name: str
    description: str


class SiteTheme(Struct, frozen=True):
    """A site's theme, its own values, and paths of its pictures, empty where it has none.

    `active` is false where no plugin brings the theme: then pages have the built-in one.
    """

    theme: str
    active: bool
    tokens: dict[str, str]
    logo: str
    favicon: str
    social: str


@themes.method(
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
    """List the themes that sites may have, the built-in one first."""
    return [
        ListedTheme(theme.code, theme.name, theme.description) for theme in _known(call).values()
    ]


@themes.method(
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
    """List the tokens of a theme, their values, and what a site may say in place of those."""
    theme = _known(call).get(params.theme)
    if theme is None:
        raise ThemeNotFound
    return [_listed(theme, name) for name in NAMES if params.name in ("", name)]


@themes.method(
    "landyard.theme.get",
    right="view",
    errors=[MissingParams, WrongType, AccessDenied],
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
    """Return the theme of a site, and what the site has of its own."""
    site = seen(call, params.site_id, Right.VIEW)
    return SiteTheme(
        theme=site.theme,
        active=site.theme in _known(call),
        tokens=dict(site.tokens),
        **{name: _text(site.fields.get(code)) for name, code in PICTURES.items()},
    )


@themes.method(
    "landyard.theme.set",
    right="settings",
    writes=True,
    errors=[
        *(MissingParams, WrongType, AccessDenied),
        *(ThemeNotFound, TokenRefused, PictureNotFound),
    ],
    example=Example({"id": 1, "tokens": {"radius": "0.5rem"}}, result=True),
)
def set_theme(call: Call, params: SetTheme) -> bool:
    """Give a site a theme, its own values for tokens, and pictures: all that is sent, or nothing.

    `tokens` are merged, an empty text gives one back to the theme; another `theme` begins without
    any of before. A colour has a value for light screens, `hot`, and one for dark ones, `dark.hot`.
    Values are refused where the contrast of text and ground would be below 4.5. `logo` stands in a
    menu's place for an icon, `favicon` in the browser's tab, `social` is what others show who link
    to a page without a picture of its own; an empty text takes one away. No content changes, and
    visitors see it at once. Needs the right to change settings.
    """
    site = held(call, params.site_id, Right.SETTINGS)
    theme, tokens = _worn(call, site, params)
    given = {name: getattr(params, name) for name in PICTURES}
    fields, missing = read_pictures(call, site, given)
    if missing:
        raise PictureNotFound(f"{missing}: no such file was uploaded to a page of this site.")
    if dress(call, site, theme, tokens, fields):
        announce_site(call, SiteChanged, site.id)
    return True


def _worn(call: Call, site: Dressed, params: SetTheme) -> tuple[str, dict[str, str]]:
    """Say which theme the site gets, and which values of its own."""
    code = site.theme if isinstance(params.theme, UnsetType) else params.theme
    theme = _known(call).get(code)
    sent = {} if isinstance(params.tokens, UnsetType) else params.tokens
    if theme is None:
        if code == site.theme and not sent:
            return code, dict(site.tokens)  # its plugin is off; pictures may change nevertheless
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


def _known(call: Call) -> dict[str, Theme]:
    return dict(themes_with(call.records(Theme)))


def _listed(theme: Theme, name: str) -> ListedToken:
    token = token_of(name)
    assert token is not None
    return ListedToken(name, token.kind, theme.tokens[name], token.wanted(theme.fonts))


def _text(value: Any) -> str:
    """Read a value as a text; a number is one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    return value.strip() if isinstance(value, str) else ("" if value is None else "?")
