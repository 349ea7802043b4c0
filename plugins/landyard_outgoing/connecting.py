"""Connections to checked addresses, with limits of time and bytes."""

import io
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from ipaddress import IPv6Address, ip_address

from landyard_outgoing.destinations import IP
from landyard_outgoing.refusals import Reason, Refused

_SHARE = 1.0  # the least seconds for an address, while time is left

# Connects to an address and port within some seconds; raises `OSError`.
Dial = Callable[[IP, int, float], socket.socket]


class Deadline:
    """The time limit of a whole exchange, however slowly bytes arrive."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, more than zero; raises `Refused` if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Refused(Reason.TIME)
        return left


def dial(address: IP, port: int, seconds: float) -> socket.socket:
    """Connect to an IP address, without looking up a name."""
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    with ExitStack() as failed:
        sock = failed.enter_context(socket.socket(family, socket.SOCK_STREAM))
        sock.settimeout(seconds)
        sock.connect((str(address), port))
        failed.pop_all()
        return sock


def connect(addresses: Sequence[IP], port: int, deadline: Deadline, dial: Dial) -> socket.socket:
    """Connect to the first address that answers, each with its share of the time."""
    for number, address in enumerate(addresses):
        left = deadline.left()
        share = min(left, max(_SHARE, left / (len(addresses) - number)))
        try:
            sock = dial(address, port, share)
        except OSError:
            continue
        with ExitStack() as failed:
            failed.enter_context(sock)
            _check(sock, address, port)
            failed.pop_all()
            return sock
    deadline.left()
    raise Refused(Reason.UNREACHABLE)


def secure(sock: socket.socket, host: str, deadline: Deadline) -> ssl.SSLSocket:
    """Start TLS and check the certificate of `host`; raises `Refused`."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    sock.settimeout(deadline.left())
    try:
        return context.wrap_socket(sock, server_hostname=host)
    except (OSError, ValueError) as failure:
        deadline.left()
        raise Refused(Reason.CERTIFICATE) from failure


class Line:
    """A socket for http.client that enforces the deadline and the number of bytes.

    `most` is the number of bytes that may still be read.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, most: int) -> None:
        self._sock = sock
        self._deadline = deadline
        self.most = most

    def settimeout(self, _seconds: float | None) -> None:
        """Do nothing: the deadline sets the time."""

    def close(self) -> None:
        """Do nothing: the opener of the socket closes it."""

    def sendall(self, content: bytes) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(content)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def receive(self, buffer: memoryview) -> int:
        """Read the available bytes; raises `OSError` and `Refused`."""
        self._sock.settimeout(self._deadline.left())
        count = self._sock.recv_into(buffer)
        self.most -= count
        if self.most < 0:
            raise Refused(Reason.TOO_LARGE)
        return count


class _Reader(io.RawIOBase):
    def __init__(self, line: Line) -> None:
        self._line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._line.receive(buffer)


def _check(sock: socket.socket, address: IP, port: int) -> None:
    """Check, before anything is sent, that the connection leads to the address itself."""
    try:
        peer = sock.getpeername()
        same = ip_address(peer[0]) == address and peer[1] == port
    except (OSError, ValueError):
        same = False
    if not same:
        raise Refused(Reason.OTHER_PEER)
