"""An HTTP connection with limits: on the time a request takes to arrive, and on its head's size."""

import asyncio
import sys
from http import HTTPStatus
from typing import Any

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from landyard.core.errors import CallError, InvalidRequest, OverloadLimit
from landyard.web.wire import CLOSE, encode_refusal, request_id

log = structlog.get_logger()

MOST_FRAMING = 64 * 1024  # bytes in a row that are no body: the head, trailers, chunk extensions
CHECK_EVERY = 30.0  # seconds
"""A connection is checked this often.

A request that was there at the last check must have brought `MIN_RATE` bytes a second since. A
client must have read something of what waits to be sent to it.
"""
MIN_RATE = 4 * 1024  # bytes a second
_PIECE = 32 * 1024
# Seconds to let a refused body arrive: a client that is still sending it reads no answer yet.
LINGER = 2.0
LAST_CALL = 0.5  # seconds in which a call may still come when the server stops


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
    stopping = False
    _refused = False

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
        # The proxy in front may read such a head in another way (RFC 9112, 3.2 and 6.1).
        names = [name for name, _ in self.headers]
        modern = self.parser.get_http_version() == "1.1"
        if names.count(b"host") > 1 or (modern and b"host" not in names):
            raise InvalidRequest("A request names its Host once.")
        if not modern and b"transfer-encoding" in names:
            raise InvalidRequest("HTTP/1.0 knows no Transfer-Encoding; send a Content-Length.")
        super().on_headers_complete()
        if self.stopping and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._arriving = self._checked = False
        self._framing = 0
        super().on_message_complete()

    def shutdown(self) -> None:
        """Finish what is under way. At once would break a call that is being sent just now."""
        if not self.stopping and (self.cycle is None or self.cycle.response_complete):
            # In two steps: uvloop runs what is due before it reads what has arrived.
            self.loop.call_later(LAST_CALL, self.loop.call_later, 0.001, super().shutdown)
        else:
            super().shutdown()
        self.stopping = True

    def send_400_response(self, msg: str) -> None:
        """Answer with the envelope and a request id (C13, C14), and close the connection.

        When a method above raises, its error comes here as the context of the parser's error.
        """
        raised = sys.exception()
        error = raised and raised.__context__
        if isinstance(error, MemoryError):  # nothing is wrong with the request
            error = OverloadLimit()
        elif not isinstance(error, CallError):
            error = InvalidRequest(msg)
        refusal = encode_refusal(error, CLOSE)
        headers = (*refusal.headers, (b"x-request-id", request_id("").encode()))
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        status = HTTPStatus(refusal.status)
        first = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
        self.transport.write(b"%b%b\r\n%b" % (first, lines, refusal.body))
        if isinstance(error, OverloadLimit):
            self._refused = True
            self.flow.resume_reading()
            self.loop.call_later(LINGER, self.transport.close)
        else:
            self.transport.close()

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
