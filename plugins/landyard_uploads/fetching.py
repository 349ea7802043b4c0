"""Fetching a picture from an address that a caller named, and from nowhere near us (U4, U5).

Every address that a host resolves to must be public, and the connection goes to one of those that
were checked: a name that means something else a moment later leads nowhere.
"""

import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from http.client import HTTPException
from urllib.parse import urljoin

from msgspec import Struct
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.util import parse_url

from landyard_uploads.errors import FileError

_PORTS = {"http": 80, "https": 443}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 64 * 1024
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_FAILURES = (HTTPError, HTTPException, OSError, ValueError)
_HEADERS = {"User-Agent": "landyard", "Accept": "image/*", "Accept-Encoding": "identity"}

IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class Limits(Struct, frozen=True):
    """How long, how far and how much; `allow_hosts` need not be public."""

    seconds: float
    redirects: int
    most_bytes: int
    allow_hosts: Sequence[str] = ()


class _Target(Struct, frozen=True):
    url: str
    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def allowed(self, hosts: Sequence[str]) -> bool:
        return not {self.host, f"{self.host}:{self.port}"}.isdisjoint(hosts)


class _Deadline:
    """A moment by which all must be done, however little arrives at a time."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds left; raises `FileError` when there are none."""
        if passed := self.passed():
            raise passed
        return self._end - time.monotonic()

    def passed(self) -> FileError | None:
        """Return what there is to say if no time is left."""
        # The timer that cuts a connection may be a little early.
        if time.monotonic() < self._end - 0.01:
            return None
        return FileError("The download took too long.")


def fetch(url: str, limits: Limits) -> bytes:
    """Download what is at `url`; raises `FileError`."""
    deadline = _Deadline(limits.seconds)
    for _ in range(limits.redirects + 1):
        target = _target(url)
        addresses = _addresses(target, deadline)
        if not target.allowed(limits.allow_hosts) and not all(map(is_public, addresses)):
            raise FileError("The address to download from is not a public one.")
        found = _get(target, addresses, deadline, limits.most_bytes)
        if isinstance(found, bytes):
            return found
        url = found
    raise FileError(f"The download was redirected more than {limits.redirects} times.")


def is_public(address: IP) -> bool:
    """Tell whether an address belongs to somebody on the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _target(url: str) -> _Target:
    try:
        parts = parse_url(url.strip())
    except LocationParseError as unreadable:
        raise FileError("The picture's address cannot be read.") from unreadable
    if parts.scheme not in _PORTS or not parts.host:
        raise FileError("A picture is an http or https address, or a name and its Base64 content.")
    if parts.auth is not None:
        raise FileError("The picture's address must not carry a user name.")
    return _Target(
        url=parts.url,
        scheme=parts.scheme,
        host=parts.host.strip("[]"),
        port=parts.port or _PORTS[parts.scheme],
        path=parts.request_uri,
    )


def _addresses(target: _Target, deadline: _Deadline) -> list[IP]:
    """Resolve a host; in a thread of its own, since the system's resolver knows no time limit."""
    answers: queue.SimpleQueue[list[IP]] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            answers.put([ipaddress.ip_address(address[4][0]) for address in found])
        except (OSError, ValueError):
            answers.put([])

    threading.Thread(target=resolve, name="landyard-resolver", daemon=True).start()
    try:
        addresses = answers.get(timeout=deadline.left)
    except queue.Empty:
        addresses = []
    if not addresses:
        raise FileError("The host to download from cannot be found.")
    return addresses


def _get(
    target: _Target, addresses: Sequence[IP], deadline: _Deadline, most_bytes: int
) -> bytes | str:
    """Return the content, or the address that it is redirected to."""
    try:
        with closing(_connected(target, addresses, deadline)) as connection:
            # Each reading from the socket has a time limit; all of them together have this one.
            cut = threading.Timer(deadline.left, _cut, [connection.sock])
            cut.daemon = True
            cut.start()
            try:
                return _answer(connection, target, deadline, most_bytes)
            finally:
                cut.cancel()
    except _FAILURES as failure:
        raise (deadline.passed() or FileError("The download failed.")) from failure


def _connected(target: _Target, addresses: Sequence[IP], deadline: _Deadline) -> HTTPConnection:
    """Connect to the first of these addresses that answers, each with its share of the time."""
    for number, address in enumerate(addresses):
        share = deadline.left / (len(addresses) - number)
        if target.scheme == "https":
            connection: HTTPConnection = HTTPSConnection(
                str(address),
                target.port,
                timeout=share,
                ssl_context=ssl.create_default_context(),
                server_hostname=target.host,
            )
        else:
            connection = HTTPConnection(str(address), target.port, timeout=share)
        try:
            connection.connect()
        except _FAILURES:
            connection.close()
            if number == len(addresses) - 1:
                raise
        else:
            return connection
    raise AssertionError  # pragma: no cover - there is an address


def _answer(
    connection: HTTPConnection, target: _Target, deadline: _Deadline, most_bytes: int
) -> bytes | str:
    connection.timeout = deadline.left
    connection.request(
        "GET",
        target.path,
        headers={"Host": target.authority, **_HEADERS},
        preload_content=False,
        decode_content=False,
    )
    with closing(connection.getresponse()) as response:
        if response.status in _REDIRECTS and "location" in response.headers:
            return urljoin(target.url, response.headers["location"])
        if response.status != 200:
            raise FileError(f"The download was answered with status {response.status}.")
        content = bytearray()
        while chunk := response.read1(_CHUNK):
            content += chunk
            if len(content) > most_bytes:
                raise FileError(f"The picture is larger than {most_bytes} bytes.")
        # A connection that was cut ends like one that has said all.
        if passed := deadline.passed():
            raise passed
        return bytes(content)


def _cut(sock: socket.socket) -> None:
    with suppress(OSError):
        # The plain one: TLS would do its own farewell, for which it waits.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
