"""The pages at their addresses, and what search engines read of them (P11, H4)."""

from typing import Any

from litestar import HttpMethod, Request, route

from landyard import Kernel, PublicAnswer
from landyard_landing.public.delivery import Asked, Delivery


def page_route(kernel: Kernel) -> object:
    """Build the route of the public pages."""
    delivery = Delivery(kernel)

    @route(["/", "/{path:path}"], http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def page(request: Request[Any, Any, Any]) -> PublicAnswer:
        """Show what is published at this address."""
        return delivery.find(_asked(request.scope))

    return page


def _asked(scope: Any) -> Asked:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    path = scope["raw_path"].decode("latin-1").partition("?")[0]
    return Asked(host.decode("latin-1"), path, scope["query_string"].decode("latin-1"))
