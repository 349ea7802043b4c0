"""A proxy between a service and PostgreSQL that can be silent, be gone, or cut off a connection."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sa


class Between:
    """The proxy; `url` leads through it to the database of another URL."""

    def __init__(self, url: str) -> None:
        parts = sa.make_url(url)
        self._server = parts.host or "127.0.0.1", parts.port or 5432
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        there = parts.set(host="127.0.0.1", port=port)
        self.url = there.render_as_string(hide_password=False)
        self._passing = threading.Event()
        self._passing.set()
        self._ends: list[socket.socket] = []
        self.cut_at = b""  # a connection is cut in this statement, once it has edited a block
        self.cut_behind = False  # whether the server receives the statement before the cut
        self.cut = False
        self._start(self._accept)

    def silence(self) -> None:
        """Accept connections, and send nothing on any of them."""
        self._passing.clear()

    def speak(self) -> None:
        self._passing.set()

    def close(self) -> None:
        """Accept no connection, and close the open ones."""
        self.speak()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._drop(*self._ends)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                far = socket.create_connection(self._server)
                self._ends += [near, far]
                self._start(self._pass, near, far, True)
                self._start(self._pass, far, near, False)

    def _pass(self, source: socket.socket, to: socket.socket, asks: bool) -> None:
        edits = False
        with suppress(OSError):
            while came := source.recv(1 << 16):
                self._passing.wait()
                edits = edits or (asks and b"UPDATE landing_block" in came)
                if edits and self.cut_at and self.cut_at in came:
                    self.cut_at, self.cut = b"", True
                    self._drop(source)
                    if self.cut_behind:
                        to.sendall(came)
                    break
                to.sendall(came)
        self._drop(source, to)
        source.close()

    @staticmethod
    def _drop(*ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _start(work: Any, *given: Any) -> None:
        threading.Thread(target=work, args=given, daemon=True).start()


@contextmanager
def between(url: str) -> Iterator[Between]:
    proxy = Between(url)
    try:
        yield proxy
    finally:
        proxy.close()
