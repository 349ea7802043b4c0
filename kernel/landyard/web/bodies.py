"""Bodies of requests, received piece by piece within a bound of size and of memory."""

from collections.abc import Awaitable, Callable
from typing import Any

from landyard.core.errors import OverloadLimit
from landyard.web.wire import too_large

Receive = Callable[[], Awaitable[Any]]

SMALL = 64 * 1024  # bytes


class Bodies:
    """Receives bodies; the large ones that are held at one time together take a bounded memory.

    Small ones are always taken, so that large ones cannot keep them out.
    """

    def __init__(self, room: int) -> None:
        """Hold at most `room` bytes of bodies larger than `SMALL`."""
        self._room = room

    async def take(self, receive: Receive, announced: bytes, limit: int) -> bytes:
        """Receive a body of at most `limit` bytes; return it with `give_back` when it is done with.

        `announced` is the header `Content-Length`. Raises `InvalidRequest` for a larger body as
        soon as that is known, `OverloadLimit` where there is no room for it, and
        `ConnectionAbortedError` when the client hangs up.
        """
        if announced.isdigit() and int(announced[:20]) > limit:
            raise too_large(limit)
        chunks: list[bytes] = []
        size = held = 0
        more = True
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionAbortedError
                more = message.get("more_body", False)
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                if size > limit:
                    raise too_large(limit)
                if size > SMALL:
                    self._room += held - size
                    held = size
                    if self._room < 0:
                        raise OverloadLimit
            whole = b"".join(chunks)
            held = 0
        except MemoryError:
            raise OverloadLimit from None
        finally:
            self._room += held
        return whole

    def give_back(self, body: bytes) -> None:
        """Make room again."""
        if len(body) > SMALL:
            self._room += len(body)
