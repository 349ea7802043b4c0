"""Bodies of requests, received piece by piece, of all who call: strangers among them."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from landyard.errors import OverloadLimit
from landyard.wire import too_large

Receive = Callable[[], Awaitable[Any]]


class Gone(Exception):
    """The caller hung up before the body was complete."""


SMALL = 64 * 1024  # bytes


class Bodies:
    """Receives bodies, and holds no more of them at once than a worker has room for.

    Small ones are always taken: whoever fills the room with large ones keeps out no others.
    """

    def __init__(self, room: int) -> None:
        """Hold at most `room` bytes of larger ones."""
        self._room = room

    async def take(self, receive: Receive, announced: bytes, limit: int) -> bytes:
        """Receive a body of at most `limit` bytes; whoever has it gives it back.

        Raises `InvalidRequest` for one that is larger, as soon as that is known, `OverloadLimit`
        where there is no room, and `Gone`.
        """
        if announced.isdigit() and int(announced[:20]) > limit:
            raise too_large(limit)
        chunk, more = _piece(await receive())
        if not more and len(chunk) <= min(limit, SMALL):
            return chunk  # as most are
        chunks: list[bytes] = []
        size = 0
        try:
            while True:
                size += len(chunk)
                self._room -= _large(size) - _large(size - len(chunk))
                self._judge(size, limit)
                chunks.append(chunk)
                if not more:
                    return b"".join(chunks)
                chunk, more = _piece(await receive())
        except BaseException:
            self._room += _large(size)
            raise

    def give_back(self, body: bytes) -> None:
        """Make room again."""
        self._room += _large(len(body))

    def _judge(self, size: int, limit: int) -> None:
        if size > limit:
            raise too_large(limit)
        if self._room < 0 and size > SMALL:
            raise OverloadLimit


def _large(size: int) -> int:
    return size if size > SMALL else 0


def _piece(message: MutableMapping[str, Any]) -> tuple[bytes, bool]:
    if message["type"] == "http.disconnect":
        raise Gone
    return message.get("body", b""), message.get("more_body", False)
