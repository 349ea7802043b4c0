"""Downloads a picture from an address that a caller gave, from public hosts only (U4, U5).

Every address that a host resolves to must be public, at every redirect. The connection goes to one
of the checked addresses, so a name that changes its addresses meanwhile gains nothing. All refusals
read the same to the caller, so that nobody can scan ports with them.
"""

import http.client
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from tempfile import SpooledTemporaryFile

import structlog
from msgspec import Struct
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError
from urllib3.util.response import assert_header_parsing

from landyard_uploads.errors import FileError
from landyard_uploads.fetch.connecting import Deadline, Dial, Line, connect, dial, secure
from landyard_uploads.fetch.destinations import IP, special_use
from landyard_uploads.fetch.refusals import Reason, Refused
from landyard_uploads.fetch.resolving import Resolve, resolve
from landyard_uploads.fetch.targets import Target, read_redirect, read_target
from landyard_uploads.settings import UploadSettings

log = structlog.get_logger()

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 64 * 1024
_IN_MEMORY = 1024 * 1024  # bytes of a download; the rest of it waits on the disk
_HEAD = 64 * 1024  # bytes of all before the content
_FAILURES = (HTTPError, http.client.HTTPException, OSError, ValueError)
_HEADERS = {
    "User-Agent": "landyard",
    "Accept": "image/*",
    "Accept-Encoding": "identity",
    "Connection": "close",
}
_TEXT = (
    "The picture could not be downloaded: it takes an http or https address of a public host, on"
    " its usual port, that answers in time with a picture that is not too large."
)


# By their number. They are of the process, and of all the kernels in it: so are the memory and the
# sockets that they are for.
_SLOTS: dict[int, threading.BoundedSemaphore] = {}


def fetch(
    url: str, settings: UploadSettings, resolve: Resolve = resolve, dial: Dial = dial
) -> bytes:
    """Download what is at `url`; raises `FileError`, with one text for all that can be wrong."""
    visit = _Visit(settings, Deadline(settings.download_seconds), resolve, dial)
    try:
        with _slot(settings.downloads, visit.deadline):
            return visit.content(url)
    except Refused as refused:
        # Of the address the host alone: path and query may carry secrets.
        host = visit.hosts[-1] if visit.hosts else None
        log.info("download_refused", reason=str(refused.reason), host=host, hop=len(visit.hosts))
        raise FileError(_TEXT) from refused


class _Visit(Struct, frozen=True):
    """What all the requests of one download share; `hosts` are those that were asked."""

    settings: UploadSettings
    deadline: Deadline
    resolve: Resolve
    dial: Dial
    hosts: list[str] = []

    def content(self, url: str) -> bytes:
        """Return what is at `url`, or at what it redirects to; raises `Refused`."""
        target = read_target(url)
        for _ in range(self.settings.max_redirects + 1):
            self.hosts.append(target.host)
            found = self._get(target)
            if isinstance(found, bytes):
                return found
            target = read_redirect(target, found)
        raise Refused(Reason.REDIRECTS)

    def _get(self, target: Target) -> bytes | str:
        """Return the content, or the address that it is redirected to."""
        addresses = self._addresses(target)
        try:
            with closing(connect(addresses, target.port, self.deadline, self.dial)) as plain:
                if target.scheme == "http":
                    return self._answer(target, plain)
                with closing(secure(plain, target.host, self.deadline)) as sock:
                    return self._answer(target, sock)
        except _FAILURES as failure:
            self.deadline.left()  # a time-out, if there is none
            raise Refused(Reason.BROKEN) from failure

    def _addresses(self, target: Target) -> Sequence[IP]:
        """Return what to connect to: every address of the host, each of them checked."""
        allowed = target.among(self.settings.allow_hosts)
        if not allowed and target.port not in self.settings.download_ports:
            raise Refused(Reason.PORT)
        if target.ip is not None:
            addresses: Sequence[IP] = [target.ip]
        else:
            addresses = self.resolve(target.host, self.deadline.left())
        if not addresses:
            self.deadline.left()
            raise Refused(Reason.NOT_FOUND)
        if not allowed and any(map(special_use, addresses)):
            raise Refused(Reason.NOT_PUBLIC)
        return addresses

    def _answer(self, target: Target, sock: socket.socket) -> bytes | str:
        line = Line(sock, self.deadline, _HEAD)
        connection = _Connection(target.host, target.port)
        connection.sock = line
        connection.request(
            "GET",
            target.path,
            headers={"Host": target.authority, **_HEADERS},
            preload_content=False,
            decode_content=False,
        )
        with closing(connection.getresponse()) as response:
            if response.status in _REDIRECTS:
                return _location(response)
            if response.status != 200:
                raise Refused(Reason.STATUS)
            # Chunks have sizes and extensions, which are no content and have no end.
            line.most = _HEAD + 2 * self.settings.max_bytes
            return _content(response, self.settings.max_bytes)


class _Response(http.client.HTTPResponse):
    def begin(self) -> None:
        """Read the head; refuse what urllib3 would make the best of, and log with the address."""
        super().begin()
        assert_header_parsing(self.headers)
        how = [each.lower() for each in self.headers.get_all("transfer-encoding", [])]
        if how and (how != ["chunked"] or "content-length" in self.headers):
            raise http.client.HTTPException(how)


class _Connection(HTTPConnection):
    response_class = _Response
    auto_open = 0  # it never connects by itself


def _location(response: BaseHTTPResponse) -> str:
    locations = set(response.headers.getlist("location"))
    if len(locations) != 1:
        raise Refused(Reason.LOCATION)
    return locations.pop()


def _content(response: BaseHTTPResponse, most_bytes: int) -> bytes:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        raise Refused(Reason.ENCODED)
    size = response.length_remaining or 0
    if size > most_bytes:
        raise Refused(Reason.TOO_LARGE)
    size = 0
    try:
        # Slow ones, and as many as may be at once, would else hold all that they may have.
        with SpooledTemporaryFile(_IN_MEMORY) as kept:
            while chunk := response.read1(_CHUNK):
                size += len(chunk)
                if size > most_bytes:
                    raise Refused(Reason.TOO_LARGE)
                kept.write(chunk)
            kept.seek(0)
            return kept.read()
    except OSError as failure:  # of the disk: urllib3 makes its own of those of the host
        raise Refused(Reason.DISK) from failure


@contextmanager
def _slot(number: int, deadline: Deadline) -> Iterator[None]:
    """Be one of so many downloads; raises `Refused` if no other ends in time."""
    slots = _SLOTS.setdefault(number, threading.BoundedSemaphore(number))
    if not slots.acquire(timeout=deadline.left()):
        raise Refused(Reason.BUSY)
    try:
        yield
    finally:
        slots.release()
