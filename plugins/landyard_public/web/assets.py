"""The route `/assets/`: files of the catalogue, of plugins' block types and of themes."""

import functools
from typing import Any

from litestar import HttpMethod, Request, route
from litestar.params import FromPath

from landyard import Host, PublicAnswer
from landyard_content import blocks
from landyard_html.assets import Asset
from landyard_public.answers import FOREVER, REVALIDATED, found_file, not_there
from landyard_public.assets import assets
from landyard_public.themes.site_look import find_sheet
from landyard_public.themes.theme import FOLDER, Theme


def asset_route(host: Host) -> object:
    """Build the route of static files."""

    @route("/assets/{path:path}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def asset(request: Request[Any, Any, Any], path: FromPath[str]) -> PublicAnswer:
        """Serve a file; cached for good where the address has the file's version."""
        name = path.lstrip("/")
        code, _, file = name.partition("/")
        plugin_type = host.records(blocks.BlockType).get(code)
        if code == FOLDER:
            found = _of_themes(host, file)
        else:
            found = assets().get(name) if plugin_type is None else plugin_type.assets.get(file)
        if found is None:
            return not_there(request.scope["path"])
        return _answer(found, versioned=request.query_params.get("v", "") == found.version)

    return asset


def _of_themes(host: Host, name: str) -> Asset | None:
    """Find a file of a theme, or the style sheet of a site's own values."""
    themes = host.records(Theme)
    code, _, file = name.partition("/")
    if file:
        theme = themes.get(code)
        return theme.files.get(file) if theme else None
    with host.store.unit(writes=False) as unit:
        return find_sheet(unit.connection, name, themes)


@functools.lru_cache(maxsize=512)
def _answer(found: Asset, *, versioned: bool) -> PublicAnswer:
    caching = FOREVER if versioned else REVALIDATED
    return found_file(found.content, found.type, found.etag, caching)
