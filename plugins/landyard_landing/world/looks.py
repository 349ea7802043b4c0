"""Themes of sites in a world file."""

from typing import Any

from landyard import Loader, given
from landyard_landing.themes.codes import USUAL_THEME, is_theme_code
from landyard_landing.themes.harbour import themes_with
from landyard_landing.themes.theme import Theme, faults_of
from landyard_landing.themes.tokens import token_of
from landyard_landing.world.checks import Row
from landyard_landing.world.items import SiteItem


def look_values(loader: Loader, item: SiteItem, stored: Row | None, path: str) -> dict[str, Any]:
    """Check a site's theme and its own values; return what the columns become.

    A theme may be one that no plugin brings here: then its values are only known by their names.
    """
    if isinstance(item.theme, str) and not is_theme_code(item.theme):
        loader.refuse(f"{path}.theme", "must be the code of a theme, such as harbour")
    known = stored or {}
    code = given(item.theme, known.get("theme", USUAL_THEME))
    tokens = given(item.theme_tokens, known.get("theme_tokens", {}))
    theme = themes_with(loader.records(Theme)).get(code)
    if theme is not None:
        wrong = faults_of(theme, tokens)
    else:
        wrong = [f"{name}: there is no such token" for name in tokens if not token_of(name)]
    if wrong and (item.theme, item.theme_tokens) != (known.get("theme"), known.get("theme_tokens")):
        loader.refuse(f"{path}.theme_tokens", "; ".join(wrong))
    return {"theme": item.theme, "theme_tokens": item.theme_tokens}
