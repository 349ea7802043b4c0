"""Sends a fixed number of requests over sixteen connections, which wrk cannot: it counts
seconds.
"""

import json
import selectors
import socket
import statistics
import time
from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from bench.answers import require
from bench.load import CONNECTIONS, Measured

_LARGEST = 1 << 16


def post(path: str, params: Any) -> bytes:
    """Write the bytes of a call."""
    body = json.dumps(params).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def send_all(
    port: int, requests: Iterable[bytes], *, connections: int = CONNECTIONS
) -> tuple[Measured, list[bytes]]:
    """Send requests, one after another on each connection; return the bodies, in any order.

    Raises `WrongAnswer` unless every answer is a 200.
    """
    waiting = deque(requests)
    bodies: list[bytes] = []
    took: list[float] = []
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        began = time.perf_counter()
        for _ in range(min(connections, len(waiting))):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            selector.register(connection, selectors.EVENT_READ, _Exchange(connection))
            selector.get_key(connection).data.send(waiting.popleft())
        while selector.get_map():
            for key, _ in selector.select():
                exchange: _Exchange = key.data
                if not exchange.receive():
                    continue
                took.append(exchange.seconds)
                bodies.append(exchange.body)
                if waiting:
                    exchange.send(waiting.popleft())
                else:
                    selector.unregister(key.fileobj)
        seconds = time.perf_counter() - began
    return Measured(len(took) / seconds, _p99(took) * 1000), bodies


class _Exchange:
    """A request and its answer, on a connection that is used again."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = b""
        self._began = 0.0
        self.seconds = 0.0
        self.body = b""

    def send(self, request: bytes) -> None:
        self._received = b""
        self._began = time.perf_counter()
        self._connection.sendall(request)

    def receive(self) -> bool:
        """Read the received bytes; tell whether the answer is complete."""
        came = self._connection.recv(_LARGEST)
        self._received += came
        head, found, body = self._received.partition(b"\r\n\r\n")
        require(bool(came), f"the connection was closed: {self._received[:200].decode()}")
        if not found:
            return False
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return False
        require(head.split(b" ", 2)[1] == b"200", f"not a 200: {body[:200].decode()}")
        self.seconds = time.perf_counter() - self._began
        self.body = body
        return True


def _p99(took: list[float]) -> float:
    return statistics.quantiles(took, n=100)[98] if len(took) > 1 else took[0]
