"""The pages at their addresses, and what search engines read of them (P11, H4)."""

from typing import Any

from litestar import Request, route
from litestar.types import ASGIApp, Receive, Scope, Send

from landyard import Kernel
from landyard_landing.delivered import Delivered
from landyard_landing.delivery import Asked, Delivery
from landyard_landing.web.answers import READING, is_shown


def page_route(kernel: Kernel) -> object:
    """Build the route of the public pages."""
    delivery = Delivery(kernel)

    def at_hand(app: ASGIApp) -> ASGIApp:
        """Send what is in memory before Litestar makes a request of it: most of what it costs."""

        async def send_at_hand(scope: Scope, receive: Receive, send: Send) -> None:
            answer = delivery.at_hand(_asked(scope))
            if answer is None:
                await app(scope, receive, send)
            else:
                await _send(answer, scope, send)

        return send_at_hand

    @route(["/", "/{path:path}"], http_method=READING, middleware=[at_hand])
    async def page(request: Request[Any, Any, Any]) -> ASGIApp:
        """Show what is published at this address."""
        answer = await kernel.in_worker(delivery.find, _asked(request.scope))

        async def send_made(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI's signature
            await _send(answer, scope, send)

        return send_made

    return page


def _asked(scope: Any) -> Asked:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    path = scope["raw_path"].decode("latin-1").partition("?")[0]
    return Asked(host.decode("latin-1"), path, scope["query_string"].decode("latin-1"))


async def _send(answer: Delivered, scope: Any, send: Send) -> None:
    known = answer.etag and _has(scope, answer.etag)
    status, headers = (304, answer.unchanged) if known else (answer.status, answer.headers)
    body = b"" if known or scope["method"] == "HEAD" else answer.body
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _has(scope: Any, etag: bytes) -> bool:
    sent = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    return bool(sent) and is_shown(etag.decode(), sent.decode("latin-1"))
