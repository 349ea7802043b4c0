"""The route of feeds: server-sent events, as read by a browser's `EventSource`."""

from typing import Any

import sqlalchemy as sa
from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.types import Receive, Scope, Send

from landyard import Host, QueryLimitExceeded, UserAccessError
from landyard_feed.feeds import feeds_of
from landyard_feed.listeners import Listener, Listeners
from landyard_feed.settings import FeedSettings
from landyard_feed.tables import FEED_EVENT
from landyard_signin import signed_in

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-accel-buffering", b"no"),  # stops nginx from buffering events
    (b"x-content-type-options", b"nosniff"),
]
_RETRY = b"retry: 3000\n\n"
_MISSED = b"event: missed\ndata: {}\n\n"


def routes(host: Host) -> list[object]:
    """Return the route handler of `/-/events`."""
    listeners, settings = Listeners(host), host.section(FeedSettings)

    @get("/-/events")
    def events(request: Request[Any, Any, Any]) -> Response[Any]:
        actor = signed_in(request, host)
        if actor is None:
            raise UserAccessError("Sign in to hear events.")
        name = request.query_params.get("feed", "")
        if name not in feeds_of(host):
            raise NotFoundException
        if len(listeners) >= settings.listeners:
            raise QueryLimitExceeded(
                "There are too many listeners: try again later.", retry_after=10
            )
        if listeners.count_of(actor) >= settings.listeners_each:
            text = f"This user has {settings.listeners_each} listeners already: close some."
            raise QueryLimitExceeded(text, retry_after=10)
        after, missed = _start_after(host, request.headers.get("last-event-id", ""))
        return _EventStream(listeners, Listener(request, actor, name, after), missed=missed)

    return [events]


def _start_after(host: Host, last: str) -> tuple[int, bool]:
    """Return the id after which to start, and whether events were missed that are gone."""
    query = sa.select(sa.func.min(FEED_EVENT.c.id), sa.func.max(FEED_EVENT.c.id))
    first, newest = host.store.run(lambda unit: unit.connection.execute(query).one(), writes=False)
    if not last.isascii() or not last.isdecimal() or len(last) > 18:
        return newest or 0, False
    return int(last), int(last) + 1 < (first or 0)


class _EventStream(Response[Any]):
    """A streaming answer, sent from the event loop without a thread of its own."""

    def __init__(self, listeners: Listeners, listener: Listener, *, missed: bool) -> None:
        super().__init__(None)
        self._listeners = listeners
        self._listener = listener
        self._missed = missed

    def to_asgi_response(self, app: Any, request: Any, **how: Any) -> Any:  # noqa: ARG002 - Litestar's
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI's
            start: Any = {"type": "http.response.start", "status": 200, "headers": _HEADERS}
            await send(start)
            first = _RETRY + _MISSED * self._missed
            await send({"type": "http.response.body", "body": first, "more_body": True})
            await self._listeners.serve(self._listener, receive, send)

        return answer
