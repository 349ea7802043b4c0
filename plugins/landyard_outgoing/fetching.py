"""Downloads what is at an address, from public hosts only, at every redirect (U4, U5)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

import structlog

from landyard_outgoing.connecting import Deadline, Dial, dial
from landyard_outgoing.exchange import Exchange, Limits
from landyard_outgoing.refusals import Reason, Refused
from landyard_outgoing.resolving import Resolve, resolve
from landyard_outgoing.targets import Target, read_redirect, read_target

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

log = structlog.get_logger()

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 64 * 1024
_IN_MEMORY = 1024 * 1024  # bytes of a download; the rest of it waits on the disk

# By their number. They are of the process, and of all the kernels in it: so are the memory and the
# sockets that they are for.
_SLOTS: dict[int, threading.BoundedSemaphore] = {}


def fetch(
    url: str,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    accept: str = "*/*",
    resolve: Resolve = resolve,
    dial: Dial = dial,
) -> bytes:
    """Download what is at `url`; raises `Refused`, and logs why.

    Tell a caller no more than that it failed: the reason would let anybody scan ports.
    """
    exchange = Exchange(limits, Deadline(limits.seconds), resolve, dial)
    hosts: list[str] = []
    try:
        with _slot(limits.at_once, exchange.deadline):
            return _followed(exchange, url, accept, hosts)
    except Refused as refused:
        # Of the address the host alone: path and query may carry secrets.
        host = hosts[-1] if hosts else None
        log.info("download_refused", reason=str(refused.reason), host=host, hop=len(hosts))
        raise


def _followed(exchange: Exchange, url: str, accept: str, hosts: list[str]) -> bytes:
    """Return what is at `url`, or at what it redirects to; `hosts` are those that were asked."""
    target = read_target(url)
    for _ in range(exchange.limits.max_redirects + 1):
        hosts.append(target.host)
        found = _got(exchange, target, accept)
        if isinstance(found, bytes):
            return found
        target = read_redirect(target, found)
    raise Refused(Reason.REDIRECTS)


def _got(exchange: Exchange, target: Target, accept: str) -> bytes | str:
    """Return the content, or the address that it is redirected to."""
    with exchange.answer("GET", target, {"Accept": accept}) as response:
        if response.status in _REDIRECTS:
            return _location(response)
        if response.status != 200:
            raise Refused(Reason.STATUS)
        return _content(response, exchange.limits.max_bytes)


def _location(response: "BaseHTTPResponse") -> str:
    locations = set(response.headers.getlist("location"))
    if len(locations) != 1:
        raise Refused(Reason.LOCATION)
    return locations.pop()


def _content(response: "BaseHTTPResponse", most_bytes: int) -> bytes:
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
