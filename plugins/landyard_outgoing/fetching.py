"""Downloads from public hosts; every redirect is checked, too (U4, U5)."""

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
_IN_MEMORY = 1024 * 1024  # bytes of a download in memory; the rest is on the disk

# Semaphores by their size. They belong to the process, like the memory and sockets that they limit.
_SLOTS: dict[int, threading.BoundedSemaphore] = {}


def fetch(
    url: str,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    accept: str = "*/*",
    resolve: Resolve = resolve,
    dial: Dial = dial,
) -> bytes:
    """Download the content at `url`; raises `Refused`, and logs the reason.

    Do not tell the reason to callers: it would let anybody scan ports.
    """
    exchange = Exchange(limits, Deadline(limits.seconds), resolve, dial)
    hosts: list[str] = []
    try:
        with _slot(limits.at_once, exchange.deadline):
            return _followed(exchange, url, accept, hosts)
    except Refused as refused:
        # Log only the host: path and query may carry secrets.
        host = hosts[-1] if hosts else None
        log.info("download_refused", reason=str(refused.reason), host=host, hop=len(hosts))
        raise


def _followed(exchange: Exchange, url: str, accept: str, hosts: list[str]) -> bytes:
    """Return the content at `url`, following redirects; contacted hosts are added to `hosts`."""
    target = read_target(url)
    for _ in range(exchange.limits.max_redirects + 1):
        hosts.append(target.host)
        content = _got(exchange, target, accept)
        if isinstance(content, bytes):
            return content
        target = read_redirect(target, content)
    raise Refused(Reason.REDIRECTS)


def _got(exchange: Exchange, target: Target, accept: str) -> bytes | str:
    """Return the content as bytes, or the address of a redirect as text."""
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
        # On disk, because many slow downloads at once would otherwise fill the memory.
        with SpooledTemporaryFile(_IN_MEMORY) as buffer:
            while chunk := response.read1(_CHUNK):
                size += len(chunk)
                if size > most_bytes:
                    raise Refused(Reason.TOO_LARGE)
                buffer.write(chunk)
            buffer.seek(0)
            return buffer.read()
    except OSError as failure:  # from the disk: urllib3 has its own exceptions for the host
        raise Refused(Reason.DISK) from failure


@contextmanager
def _slot(number: int, deadline: Deadline) -> Iterator[None]:
    """Occupy one of `number` download slots; raises `Refused` if none is free in time."""
    slots = _SLOTS.setdefault(number, threading.BoundedSemaphore(number))
    if not slots.acquire(timeout=deadline.left()):
        raise Refused(Reason.BUSY)
    try:
        yield
    finally:
        slots.release()
