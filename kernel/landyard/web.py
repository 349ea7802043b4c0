"""The web edge: Litestar, one mounted handler for the calls, and the pages of plugins."""

import functools
from typing import Any

import structlog
from litestar import Litestar, Response, asgi, get
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from sqlalchemy import text

from landyard.app import Kernel
from landyard.errors import InternalServerError, InvalidRequest, MethodNotFound
from landyard.wire import Incoming, Outgoing, answerer, encode_refusal, request_id

log = structlog.get_logger()


def web_app(kernel: Kernel) -> ASGIApp:
    """Build the ASGI application of `kernel`; it closes the kernel when the server stops."""
    litestar = Litestar(
        route_handlers=[_calls(kernel), healthz, _readyz(kernel), *_routes(kernel)],
        on_shutdown=[kernel.close],
        openapi_config=None,
        logging_config=None,
        exception_handlers={HTTPException: _refuse, Exception: _crash},
    )
    return _with_request_ids(litestar)


def _calls(kernel: Kernel) -> Any:
    answer = answerer(kernel.dispatch)
    max_body = kernel.settings.max_body

    @asgi("/rest", is_mount=True, copy_scope=False)
    async def calls(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        try:
            body = await _read_body(receive, headers.get(b"content-length", b""), max_body)
        except _TooLarge:
            await _send(send, encode_refusal(_too_large(max_body)), close=True)
            return
        except _Gone:
            return
        incoming = Incoming(
            verb=scope["method"],  # type: ignore[typeddict-item]
            path=scope["path"],
            query=scope["query_string"],
            content_type=headers.get(b"content-type", b"").decode("latin-1"),
            authorization=headers.get(b"authorization", b"").decode("latin-1"),
            body=body,
            id=scope["landyard_request_id"],  # type: ignore[typeddict-item]
        )
        await _send(send, await kernel.in_worker(answer, incoming))

    return calls


class _TooLarge(Exception):
    """The body is larger than the service takes."""


class _Gone(Exception):
    """The caller hung up before the body was complete."""


def _too_large(limit: int) -> InvalidRequest:
    return InvalidRequest(f"The body is larger than the {limit} bytes taken here.", status=413)


async def _read_body(receive: Receive, announced: bytes, limit: int) -> bytes:
    if announced.isdigit() and int(announced[:20]) > limit:
        raise _TooLarge
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        chunk: bytes = message.get("body", b"")  # type: ignore[assignment]
        size += len(chunk)
        if size > limit:
            raise _TooLarge
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _send(send: Send, answer: Outgoing, *, close: bool = False) -> None:
    headers = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"content-length", str(len(answer.body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
        (b"referrer-policy", b"no-referrer"),
        *answer.headers,
    ]
    if close:
        headers.append((b"connection", b"close"))
    start: Any = {"type": "http.response.start", "status": answer.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})


@get("/healthz", sync_to_thread=False)
def healthz() -> dict[str, str]:
    """Tell that the process answers."""
    return {"status": "ok"}


def _readyz(kernel: Kernel) -> Any:
    @get("/readyz")
    async def readyz() -> Response[dict[str, str]]:
        """Tell whether calls can be answered: the database is there."""
        try:
            await kernel.in_worker(_ping, kernel)
        except Exception as error:  # noqa: BLE001 - whatever it is, the service is not ready
            log.warning("readiness_failed", error=type(error).__name__)
            return Response({"status": "database unreachable"}, status_code=503)
        return Response({"status": "ok"})

    return readyz


def _ping(kernel: Kernel) -> None:
    with kernel.store.session() as session:
        session.execute(text("SELECT 1"))


def _refuse(_request: Any, error: HTTPException) -> Response[bytes]:
    return _json(encode_refusal(MethodNotFound(f"There is nothing here: {error.detail}.")))


def _crash(_request: Any, error: Exception) -> Response[bytes]:
    log.error("page_crashed", exc_info=error)
    return _json(encode_refusal(InternalServerError()))


def _json(answer: Outgoing) -> Response[bytes]:
    return Response(answer.body, status_code=answer.status, media_type="application/json")


def _with_request_ids(app: ASGIApp) -> ASGIApp:
    """Put a request id on every request and every answer (C14)."""

    async def with_request_id(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.WEBSOCKET:
            await app(scope, receive, send)
            return
        sent = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        identity = request_id(sent.decode("latin-1"))
        scope["landyard_request_id"] = identity  # type: ignore[typeddict-unknown-key]
        await app(scope, receive, functools.partial(_send_with_id, send, identity.encode()))

    return with_request_id


def _routes(kernel: Kernel) -> list[Any]:
    # The hook's contract speaks no Litestar: here is where its objects become handlers.
    return list(kernel.routes())


async def _send_with_id(send: Send, identity: bytes, message: Message) -> None:
    if message["type"] == "http.response.start":
        message["headers"] = [*message["headers"], (b"x-request-id", identity)]
    await send(message)
