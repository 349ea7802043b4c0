"""Checks a site's theme and theme tokens in a world file, and returns the columns to write."""

from typing import Any

from landyard import Loader
from landyard_landing import theme_codes
from landyard_public.themes import Theme, faults_of, is_theme_code, themes_with, token_of
from landyard_sitekit.world.checks import Row
from landyard_sitekit.world.items import SiteItem


def theme_columns(loader: Loader, item: SiteItem, stored: Row | None, path: str) -> dict[str, Any]:
    """Check a site's theme and its own values; return the values of the columns.

    No enabled plugin may bring the theme: then only the names of the values are checked.
    """
    if isinstance(item.theme, str) and not is_theme_code(item.theme):
        loader.refuse(f"{path}.theme", "must be the code of a theme, such as harbour")
    before = stored or {}
    code = Loader.listed(item.theme, before.get("theme", theme_codes.USUAL_THEME))
    tokens = Loader.listed(item.theme_tokens, before.get("theme_tokens", {}))
    theme = themes_with(loader.records(Theme)).get(code)
    if theme is not None:
        wrong = faults_of(theme, tokens)
    else:
        wrong = [f"{name}: there is no such token" for name in tokens if not token_of(name)]
    current = (before.get("theme"), before.get("theme_tokens"))
    if wrong and (item.theme, item.theme_tokens) != current:
        loader.refuse(f"{path}.theme_tokens", "; ".join(wrong))
    return {"theme": item.theme, "theme_tokens": item.theme_tokens}
