"""An HTTP connection with limits: on the time a request takes to arrive, and on its head's size."""

import asyncio
import functools
import sys
from types import SimpleNamespace
from typing import Any

import structlog
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from landyard.core.errors import CallError, InvalidRequest, OverloadLimit
from landyard.web.call_endpoint import ArrivingCall
from landyard.web.public_answers import Sent
from landyard.web.wire import CLOSE, Headers, Outgoing, encode_refusal, headers_of, request_id

log = structlog.get_logger()

MOST_FRAMING = 64 * 1024  # bytes in a row that are no body: the head, trailers, chunk extensions
CHECK_EVERY = 30.0  # seconds
"""A connection is checked this often.

A request that was there at the last check must have brought `MIN_RATE` bytes a second since. A
client must have read something of what waits to be sent to it.
"""
MIN_RATE = 4 * 1024  # bytes a second
_PIECE = 32 * 1024
LINGER = 2.0  # seconds in which a body may come that is not taken: who sends it reads no answer yet
LAST_CALL = 0.5  # seconds in which a call may still come when the server stops
# What uvicorn takes for a request that needs nothing more.
_ANSWERED: Any = SimpleNamespace(response_complete=True, message_event=asyncio.Event())


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection, which by itself waits for a request, and collects its head, for ever.

    A connection has one timer while it lives; a request costs a few additions.
    """

    cycle: Any  # None before the first request, whatever uvicorn says
    _arriving = True  # a request is, or is awaited on a new connection; not between two requests
    _checked = False  # whether that was so at the last check, too
    _received = 0  # bytes since then
    _framing = 0  # bytes since the last piece of a body
    _unsent = 0  # bytes of answers that waited to be sent at the last check
    _timer: asyncio.TimerHandle
    _stopping = False
    _refused = False
    _call: ArrivingCall | None = None  # whose body is under way

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer = self.loop.call_later(CHECK_EVERY, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._arriving = True  # at any byte: an empty line stops uvicorn's own timer for idle ones
        # In pieces: the end of a head and much of a body may come together.
        for at in range(0, len(data), _PIECE):
            if self._refused:
                return
            piece = data[at : at + _PIECE]
            self._received += len(piece)
            self._framing += len(piece)
            if self._framing > MOST_FRAMING:
                self._cut("head_too_large")
            if self.transport.is_closing():
                return
            super().data_received(piece)

    def on_body(self, body: bytes) -> None:
        self._framing = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        asked = dict(self.headers)
        modern = self.parser.get_http_version() == "1.1"
        if not modern or b"host" not in asked or len(asked) < len(self.headers):
            self._refuse_ambiguous(modern)
        elif self._answer_at_once(asked):
            return
        super().on_headers_complete()
        if self._stopping and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._arriving = self._checked = False
        self._framing = 0
        super().on_message_complete()
        if self._call is not None:
            self._reply(self.cycle, self._call)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Start no task for a small call: its body is waited for here."""
        begin = getattr(app, "begin", None)
        self._call = begin(cycle.scope) if begin and not cycle.waiting_for_100_continue else None
        if self._call is None:
            super()._start_asgi_task(cycle, app)
        elif not cycle.more_body:  # it has waited for the answer to the one before it
            self._reply(cycle, self._call)

    def _reply(self, cycle: RequestResponseCycle, call: ArrivingCall) -> None:
        """Have a call answered: at once, but together with those that arrive now; or in a thread.

        First all of them are answered and then all are sent: what a step needs stays in the
        processor's caches, which saves a third of such a call.
        """
        self._call, body = None, bytes(cycle.body)
        soon = self._reply_at_once if call.is_quick(body) else self._reply_later
        self.loop.call_soon(soon, cycle, call, body)

    def _reply_at_once(self, cycle: RequestResponseCycle, call: ArrivingCall, body: bytes) -> None:
        if (out := call.reply_at_once(body)) is None:
            self._reply_later(cycle, call, body)
        else:
            self.loop.call_soon(self._send, cycle, out, call.added)

    def _reply_later(self, cycle: RequestResponseCycle, call: ArrivingCall, body: bytes) -> None:
        async def reply() -> None:
            out, content = await call.reply(body)
            if content is None:
                self._send(cycle, out, call.added)
            else:
                await cycle.run_asgi(content)

        task = self.loop.create_task(reply())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def _send(self, cycle: RequestResponseCycle, out: Outgoing, added: Headers) -> None:
        """Send an answer whole, as uvicorn does with an application's messages."""
        if cycle.disconnected:
            return
        closes = CLOSE in out.headers or not cycle.keep_alive
        close = () if CLOSE in out.headers or not closes else (CLOSE,)
        own = _lines((*self.server_state.default_headers, *close))
        head = b"".join([STATUS_LINE[out.status], own, *map(_line, (*headers_of(out), *added))])
        self.transport.writelines((head + b"\r\n", out.body))
        cycle.response_started = cycle.response_complete = True
        if closes:
            self.transport.close()
        self.on_response_complete()

    def _answer_at_once(self, asked: Sent) -> bool:
        """Send what the application has in memory; all else takes a scope, and maybe a task."""
        at_once = getattr(self.app, "at_once", None)
        cycle = self.cycle
        waits = self._stopping or self.flow.write_paused or (cycle and not cycle.response_complete)
        if at_once is None or waits:
            return False
        if (found := at_once(self.parser.get_method().decode(), self.url, asked)) is None:
            return False
        (status, headers, body), identity = found
        stays = self.parser.should_keep_alive()
        own = _lines((*self.server_state.default_headers, *(() if stays else (CLOSE,))))
        head = STATUS_LINE[status] + _lines(tuple(headers)) + own
        self.transport.writelines((b"%bx-request-id: %b\r\n\r\n" % (head, identity), body))
        self.cycle = _ANSWERED
        if not stays:
            self.transport.close()
        self.on_response_complete()
        return True

    def shutdown(self) -> None:
        """Finish what is under way. At once would break a call that is being sent just now."""
        if not self._stopping and (self.cycle is None or self.cycle.response_complete):
            # In two steps: uvloop runs what is due before it reads what has arrived.
            self.loop.call_later(LAST_CALL, self.loop.call_later, 0.001, super().shutdown)
        else:
            super().shutdown()
        self._stopping = True

    def send_400_response(self, msg: str) -> None:
        """Answer with the envelope and a request id (C13, C14), and close the connection.

        What one of the methods above has raised comes here as the context of the parser's error.
        """
        raised = sys.exception()
        error = raised and raised.__context__
        if isinstance(error, MemoryError):  # nothing is wrong with the request
            error = OverloadLimit()
        elif not isinstance(error, CallError):
            error = InvalidRequest(msg)
        refusal = encode_refusal(error, CLOSE)
        headers = (*headers_of(refusal), (b"x-request-id", request_id("").encode()))
        head = STATUS_LINE[refusal.status] + _lines(headers)
        self.transport.write(b"%b\r\n%b" % (head, refusal.body))
        if isinstance(error, OverloadLimit):
            self._refused = True
            self.flow.resume_reading()
            self.loop.call_later(LINGER, self.transport.close)
        else:
            self.transport.close()

    def _refuse_ambiguous(self, modern: bool) -> None:
        """Refuse a head that the proxy in front may read in another way (RFC 9112, 3.2 and 6.1)."""
        names = [name for name, _ in self.headers]
        if names.count(b"host") > 1 or (modern and b"host" not in names):
            raise InvalidRequest("A request names its Host once.")
        if not modern and b"transfer-encoding" in names:
            raise InvalidRequest("HTTP/1.0 knows no Transfer-Encoding; send a Content-Length.")

    def _check(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent and unsent == self._unsent:
            self._cut("does_not_read")
            self.transport.abort()
        elif self._checked and self._received < MIN_RATE * CHECK_EVERY:
            self._cut("too_slow")
        else:
            self._checked, self._received, self._unsent = self._arriving, 0, unsent
            self._timer = self.loop.call_later(CHECK_EVERY, self._check)

    def _cut(self, reason: str) -> None:
        address = self.client[0] if self.client else None
        log.info("connection_cut", reason=reason, address=address)
        self.send_400_response(f"The request was cut off: {reason.replace('_', ' ')}.")


@functools.lru_cache(maxsize=1024)
def _lines(headers: Headers) -> bytes:
    return b"".join(map(_line, headers))


def _line(header: tuple[bytes, bytes]) -> bytes:
    return b"%b: %b\r\n" % header
