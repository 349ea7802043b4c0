"""The HTTP routes of pages, assets and uploaded files for visitors."""

from landyard import Host
from landyard_public.web.assets import asset_route
from landyard_public.web.files import file_route
from landyard_public.web.pages import page_route


def public_routes(host: Host) -> list[object]:
    """Build the public routes: pages, assets and uploaded files."""
    return [page_route(host), asset_route(host), file_route(host)]
