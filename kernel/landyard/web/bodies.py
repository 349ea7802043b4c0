"""Receives request bodies, and limits the memory that large bodies and answers take together."""

from typing import Any

from landyard.core.errors import OverloadLimit
from landyard.web import wire

SMALL = 64 * 1024  # bytes: a body that always has room, so that large ones cannot keep it out


class Bodies:
    """The room for bodies: so many bytes of those that are larger than `SMALL`."""

    def __init__(self, room: int) -> None:
        """Have room for `room` bytes."""
        self._room = room

    async def take(self, receive: Any, announced: bytes, limit: int) -> bytes:
        """Receive a body of at most `limit` bytes; return it with `give_back` when it is done with.

        `announced` is the header `Content-Length`. Raises `InvalidRequest` for a larger body as
        soon as that is known, `OverloadLimit` where there is no room for it, and
        `ConnectionAbortedError` when the client hangs up.
        """
        if announced.isdigit() and int(announced[:20]) > limit:
            raise wire.too_large(limit)
        held = HeldBody(self, receive.unheld if isinstance(receive, HeldBody) else receive)
        try:
            return await _whole(held, limit)
        except MemoryError:
            held.release()
            raise OverloadLimit from None
        except BaseException:
            held.release()
            raise

    def give_back(self, body: bytes) -> None:
        """Make room again."""
        if len(body) > SMALL:
            self._room += len(body)

    def resize(self, before: int, after: int) -> None:
        """Note that a body has grown, or is gone; raises `OverloadLimit` where there is no room."""
        taken = (after if after > SMALL else 0) - (before if before > SMALL else 0)
        if 0 < taken > self._room:
            raise OverloadLimit
        self._room -= taken


class HeldBody:
    """Receives a request, and counts its body: an ASGI application is given it as `receive`.

    A body that a page reads is held until the answer is sent. `unheld` receives without counting.
    """

    def __init__(self, bodies: Bodies, receive: Any) -> None:
        """Count in the room of `bodies` what `receive` brings."""
        self._bodies = bodies
        self.unheld = receive
        self.size = 0

    async def __call__(self) -> Any:
        message = await self.unheld()
        if body := message.get("body"):
            self._bodies.resize(self.size, self.size + len(body))
            self.size += len(body)
        return message

    def release(self) -> None:
        """Make room again."""
        self._bodies.resize(self.size, 0)
        self.size = 0


async def _whole(held: HeldBody, limit: int) -> bytes:
    chunks: list[bytes] = []
    more = True
    while more:
        message = await held()
        if message["type"] == "http.disconnect":
            raise ConnectionAbortedError
        more = message.get("more_body", False)
        chunks.append(message.get("body", b""))
        if held.size > limit:
            raise wire.too_large(limit)
    return b"".join(chunks)
