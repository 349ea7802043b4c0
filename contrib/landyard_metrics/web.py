"""The route `/-/metrics`, which answers a Prometheus scrape."""

import hmac
from typing import TYPE_CHECKING, Any

from litestar import Request, Response, get

from landyard_metrics.families import TYPE

if TYPE_CHECKING:
    from landyard_metrics.collector import Metrics

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_CLOSED = "Set metrics.token, or metrics.open.\n"
_REFUSED = "Send the token of metrics.token: Authorization: Bearer TOKEN\n"


def page(metrics: "Metrics") -> object:
    """Return the route handler."""

    @get("/-/metrics")
    def scrape(request: Request[Any, Any, Any]) -> Response[str]:
        """Answer the metrics of all workers to a client that may read them."""
        if not (metrics.is_open or metrics.token):
            return _plain(_CLOSED, 403)
        if not metrics.is_open and not _shows(request, metrics.token):
            return _plain(_REFUSED, 401, **{"WWW-Authenticate": "Bearer"})
        return Response(metrics.scrape(), media_type=TYPE, headers=_HEADERS)

    return scrape


def _plain(text: str, status: int, **headers: str) -> Response[str]:
    return Response(text, status_code=status, media_type="text/plain", headers=_HEADERS | headers)


def _shows(request: Request[Any, Any, Any], token: str) -> bool:
    scheme, _, token_sent = request.headers.get("authorization", "").partition(" ")
    right = hmac.compare_digest(token_sent.strip().encode(), token.encode())
    return right and scheme.lower() == "bearer"
