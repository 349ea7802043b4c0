"""A connection that has to say what it wants: in time, and without going on for ever about it."""

import asyncio

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from landyard.errors import InvalidRequest
from landyard.wire import encode_refusal, request_id

log = structlog.get_logger()

MOST_FRAMING = 64 * 1024  # bytes in a row that are no body: of a head, of trailers, of chunks
PATIENCE = (
    30.0  # seconds for a request to arrive; of one that is longer, in each such time at least
)
SLOWEST = 4 * 1024  # so many bytes a second
_PIECE = 32 * 1024


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection, which itself waits and collects without end.

    Costs a call nothing but a few numbers: one timer looks after the connection while it lives.
    """

    _begun: float | None  # when the request that is arriving began to
    _received: int  # bytes of it
    _framing: int  # bytes since there was a piece of a body
    _seen: tuple[float, int]  # when and at how many bytes of the request one last looked
    _unsent: int  # bytes of answers that waited then for the other side to read
    _timer: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._framing = self._unsent = 0
        self._begin()
        self._timer = self.loop.call_later(PATIENCE, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._begun is None:
            self._begin()  # a line end is not yet a request, and stops uvicorn's own timer
        if len(data) <= _PIECE and self._framing + len(data) <= MOST_FRAMING:  # as nearly always
            self._received += len(data)
            self._framing += len(data)
            super().data_received(data)
            return
        # In pieces: a body may come at once with the head before it, which is bounded.
        for at in range(0, len(data), _PIECE):
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

    def on_message_complete(self) -> None:
        self._begun = None
        self._framing = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse as everywhere, and hang up (C13, C14)."""
        refusal = encode_refusal(InvalidRequest(msg))
        head = (
            "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n"
            f"Content-Length: {len(refusal.body)}\r\nX-Content-Type-Options: nosniff\r\n"
            f"Cache-Control: no-store\r\nX-Request-Id: {request_id('')}\r\n"
            "Connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + refusal.body)
        self.transport.close()

    def _begin(self) -> None:
        self._begun = self.loop.time()
        self._received = 0
        self._seen = (self._begun, 0)

    def _look(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent and unsent == self._unsent:
            log.info("connection_cut", reason="does_not_read", address=self._address())
            self.transport.abort()
            return
        self._unsent = unsent
        wait = PATIENCE
        if self._begun is not None:
            since, received = self._seen
            passed = self.loop.time() - since
            if passed < PATIENCE:
                wait = PATIENCE - passed
            elif self._received - received < SLOWEST * passed:
                self._cut("too_slow")
                return
            else:
                self._seen = (since + passed, self._received)
        self._timer = self.loop.call_later(max(wait, 0.05), self._look)

    def _cut(self, reason: str) -> None:
        log.info("connection_cut", reason=reason, address=self._address())
        self.send_400_response(f"The request was cut off: {reason.replace('_', ' ')}.")

    def _address(self) -> str | None:
        return self.client[0] if self.client else None
