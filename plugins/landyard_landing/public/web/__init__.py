"""Public delivery: what visitors get over HTTP."""

from landyard import Kernel
from landyard_landing.public.web.assets import asset_route
from landyard_landing.public.web.files import file_route
from landyard_landing.public.web.pages import page_route


def public_routes(kernel: Kernel) -> list[object]:
    """Build the routes of everything that visitors see."""
    return [page_route(kernel), asset_route(kernel), file_route(kernel)]
