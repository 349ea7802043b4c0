"""Public delivery: what visitors get over HTTP."""

from landyard import Host
from landyard_landing.public.web.assets import asset_route
from landyard_landing.public.web.files import file_route
from landyard_landing.public.web.pages import page_route


def public_routes(host: Host) -> list[object]:
    """Build the routes of everything that visitors see."""
    return [page_route(host), asset_route(host), file_route(host)]
