"""A fake network: names and public addresses that all lead to a server of the test."""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from contract.pictures import PNG

from landyard_outgoing import Limits, Refused, fetch
from landyard_outgoing.destinations import IP

Names = Mapping[str, Sequence[Sequence[str]]]
Answer = bytes | Callable[[socket.socket], object]

PUBLIC = "93.184.216.34"


def reply(body: bytes = PNG, status: str = "200 OK", **headers: str) -> bytes:
    """The bytes of an HTTP answer; they include the length unless `headers` sets another
    framing.
    """
    if not {"Content_Length", "Transfer_Encoding"} & headers.keys():
        headers["Content_Length"] = str(len(body))
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


def redirect(to: str, status: int = 302) -> bytes:
    return reply(b"", f"{status} Elsewhere", Location=to)


class Slowly:
    """Answers a picture after a pause; `busiest` is the largest number of requests waiting at once.

    An answered request counts no longer, because its client may already send the next one.
    """

    def __init__(self, seconds: float) -> None:
        self.busy = self.busiest = 0
        self._seconds = seconds
        self._lock = threading.Lock()

    def __call__(self, sock: socket.socket) -> None:
        with self._lock:
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        time.sleep(self._seconds)
        with self._lock:
            self.busy -= 1
        sock.sendall(reply())


class Web:
    """A server on this machine; `seen` holds the paths and hosts of the requests.

    `answers` gives the answers to paths, or to hosts with paths; any other request gets a picture.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.answers: dict[str, Answer] = {}
        self.seen: list[tuple[str, str]] = []
        self.heads: list[bytes] = []
        self.received = 0
        self._context = context
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def url(self, path: str = "/a.png", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        """Stop listening, and wait until all clients have got their last byte."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._socket.accept()
                thread = threading.Thread(target=self._serve, args=[sock])
                self._threads.append(thread)
                thread.start()

    def _serve(self, sock: socket.socket) -> None:
        with closing(sock), suppress(OSError):
            if self._context is not None:
                sock = self._context.wrap_socket(sock, server_side=True)
            with closing(sock):
                self._answer(sock)

    def _answer(self, sock: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (more := sock.recv(65536)):
                return
            head += more
            self.received += len(more)
        path = head.split(b" ")[1].decode()
        (host,) = [line[6:].decode() for line in head.split(b"\r\n") if line[:6] == b"Host: "]
        with self._lock:
            self.heads.append(head)
            self.seen.append((path, host))
        answer = self.answers.get(host + path, self.answers.get(path, reply()))
        if isinstance(answer, bytes):
            sock.sendall(answer)
        else:
            answer(sock)


class _Claimed(socket.socket):
    """A socket that reports a chosen address as its peer."""

    claim: tuple[str, int] = ("", 0)

    def getpeername(self) -> Any:
        return self.claim


class Net:
    """Resolves names, and connects every address to `web`; `dials` holds the connections made.

    A name's answers are given one after another; the last one is repeated.
    """

    def __init__(self, web: Web, names: Names | None = None) -> None:
        self.web = web
        self.names = {name: list(answers) for name, answers in (names or {}).items()}
        self.asked: list[str] = []
        self.dials: list[tuple[str, int]] = []
        self.dead: set[str] = set()
        self.claims: dict[str, tuple[str, int]] = {}

    def resolve(self, name: str, seconds: float) -> Sequence[IP]:
        assert seconds > 0
        self.asked.append(name)
        answers = self.names.get(name, [[]])
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ipaddress.ip_address(address) for address in found]

    def dial(self, address: IP, port: int, seconds: float) -> socket.socket:
        assert seconds > 0
        self.dials.append((str(address), port))
        if str(address) in self.dead:
            raise ConnectionRefusedError
        sock = _Claimed(socket.AF_INET, socket.SOCK_STREAM)
        sock.claim = self.claims.get(str(address), (str(address), port))
        sock.settimeout(seconds)
        sock.connect(("127.0.0.1", self.web.port))
        sock.settimeout(5)  # the client has a limit of its own
        return sock

    def fetch(self, url: str, limits: Limits) -> bytes:
        return fetch(url, limits, resolve=self.resolve, dial=self.dial)

    def refused(self, url: str, limits: Limits) -> str | None:
        """The reason that a download is refused with; None if it is not refused."""
        try:
            self.fetch(url, limits)
        except Refused as failure:
            return reason(failure)
        return None


def reason(failure: Refused) -> str:
    """The internal reason, which the caller does not get."""
    return str(failure.reason)


def within(seconds: float, redirects: int, most_bytes: int, **more: Any) -> Limits:
    """The limits of one download."""
    return Limits(seconds=seconds, max_redirects=redirects, max_bytes=most_bytes, **more)
