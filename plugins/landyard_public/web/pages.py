"""The route of public pages, feeds, robots.txt and site maps (P11, H4)."""

from typing import Any

from litestar import HttpMethod, Request, route
from litestar.status_codes import HTTP_404_NOT_FOUND

from landyard import Host, PublicAnswer
from landyard_public.delivery import Asked, Delivery
from landyard_public.welcome import ROOT, welcomed


def page_route(host: Host) -> object:
    """Build the route of the public pages."""
    delivery = Delivery(host)

    @route(["/", "/{path:path}"], http_method=[HttpMethod.GET, HttpMethod.HEAD])
    def page(request: Request[Any, Any, Any]) -> PublicAnswer:
        """Answer with the page, feed, robots.txt or site map at this address, or with 404."""
        public_request = _read_request(request.scope)
        answer = delivery.find(public_request)
        if answer.status == HTTP_404_NOT_FOUND and public_request.path == ROOT:
            return welcomed(host, request, answer)
        return answer

    return page


def _read_request(scope: Any) -> Asked:
    requested_host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    path = scope["raw_path"].decode("latin-1").partition("?")[0]
    return Asked(requested_host.decode("latin-1"), path, scope["query_string"].decode("latin-1"))
