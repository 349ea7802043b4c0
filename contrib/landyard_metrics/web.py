"""The page `/-/metrics`."""

import hmac
from typing import TYPE_CHECKING, Any

from litestar import Request, Response, get

from landyard_metrics.families import TYPE

if TYPE_CHECKING:
    from landyard_metrics.observing import Metrics

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_CLOSED = "Set metrics.token, or metrics.open.\n"
_REFUSED = "Send the token of metrics.token: Authorization: Bearer TOKEN\n"


def page(metrics: "Metrics") -> object:
    """Build the route."""

    @get("/-/metrics")
    def scrape(request: Request[Any, Any, Any]) -> Response[str]:
        """Tell a scraper how the service fares."""
        if not (metrics.is_open or metrics.token):
            return _plain(_CLOSED, 403)
        if not metrics.is_open and not _shows(request, metrics.token):
            return _plain(_REFUSED, 401, **{"WWW-Authenticate": "Bearer"})
        return Response(metrics.scrape(), media_type=TYPE, headers=_HEADERS)

    return scrape


def _plain(said: str, status: int, **headers: str) -> Response[str]:
    return Response(said, status_code=status, media_type="text/plain", headers=_HEADERS | headers)


def _shows(request: Request[Any, Any, Any], token: str) -> bool:
    scheme, _, shown = request.headers.get("authorization", "").partition(" ")
    right = hmac.compare_digest(shown.strip().encode(), token.encode())
    return right and scheme.lower() == "bearer"
