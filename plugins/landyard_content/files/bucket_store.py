"""Stores the bytes of uploaded files in a bucket, by the library obstore."""

import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import structlog

from landyard import Unavailable
from landyard_content.files.file_types import type_of
from landyard_content.files.settings import FileSettings
from landyard_content.files.store import (
    DamagedFile,
    OpenFile,
    StoredFile,
    is_address,
    require_address,
)

if TYPE_CHECKING:  # the library is an extra
    from obstore import GetResult
    from obstore.store import ObjectStore

log = structlog.get_logger()

_AWAY = "The store of the files cannot be reached; try again in a moment."
_PAUSE = 2.0  # seconds for which nothing is asked of a bucket that has failed
_RETRIES = 3
_READERS = 2  # requests at once; the other threads of a worker answer pages meanwhile
_PATIENCE = 1.0  # seconds for which a reader waits for others
_SLOWEST = timedelta(minutes=10)  # for reading a whole file, by a slow visitor as well
_WHOLE = 20 * 1024 * 1024  # bytes; larger files are sent in parts
_CHUNK = 256 * 1024  # bytes
_AT_ONCE = 1000  # files in one answer to a listing
_UNSETTLED = timedelta(hours=24)
_DIGEST = "sha256"  # in the metadata of an object
_CACHING = "public, max-age=31536000, immutable"


class BucketStore:
    """A bucket of files, each at `<prefix>/<key>/<name>`.

    A file that is added beside a file has the same key. There are no pending marks: the database
    alone decides, and `unsettled` yields each key that is older than a day.

    Objects of the library are made at the first use in a process, because its threads do not
    survive a fork. A bucket that fails is left alone for a moment. Then one request tries it.
    """

    def __init__(self, settings: FileSettings) -> None:
        """Keep files in the bucket `settings.url`, which must exist; it is not asked yet."""
        self._settings = settings
        self._clients = threading.Lock()
        self._process = 0
        self._writing: ObjectStore
        self._reading: ObjectStore
        self._readers = threading.BoundedSemaphore(_READERS)
        self._away_until: float | None = None

    def save(self, key: str, name: str, content: bytes) -> None:
        """Write a new file; return when the bucket has it.

        After an error the bucket may have it. No row names it then, so it is removed after a day.
        """
        require_address(key, name)
        attributes = {
            "Content-Type": type_of(name),
            "Cache-Control": _CACHING,
            "Content-Disposition": f'inline; filename="{name}"',
            _DIGEST: hashlib.sha256(content).hexdigest(),
        }
        import obstore

        with self._asking():
            obstore.put(
                self._client(writes=True),
                f"{key}/{name}",
                content,
                attributes=attributes,
                use_multipart=len(content) > _WHOLE,
            )

    def add(self, key: str, name: str, other: str, content: bytes) -> None:
        """Write the file `other` beside an existing file, to be removed with it."""
        self.save(key, other, content)
        try:
            self.size(key, name)
        except FileNotFoundError:  # it was removed meanwhile
            self.remove(key)
            raise

    def confirm(self, key: str) -> None:
        """Do nothing: the row is enough."""

    def mark_pending(self, key: str) -> None:
        """Do nothing: the row is enough."""

    def is_pending(self, _key: str) -> bool | None:
        """Return None: the row alone tells."""
        return None

    def unsettled(self, now: datetime) -> Iterator[str]:
        """Yield the keys of all files that are older than a day."""
        last = ""
        for each in self.listing():
            if each.key not in ("", last) and each.changed_at < now - _UNSETTLED:
                last = each.key
                yield each.key

    def remove(self, key: str, _name: str = "") -> None:
        """Remove a file and the files beside it; a failure is logged, and a job tries again."""
        import obstore

        try:
            with self._asking():
                client = self._client(writes=True)
                found = [each["path"] for many in obstore.list(client, key) for each in many]
                with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                    obstore.delete(client, found)
        except Unavailable:
            log.warning("file_not_removed", file=key)

    def has(self, key: str, name: str) -> bool:
        """Return True for every possible key and name, since the database mentions the file."""
        return is_address(key, name)

    def size(self, key: str, name: str) -> int:
        """Return the size of a file in bytes."""
        import obstore

        require_address(key, name)
        with self._asking_to_read():
            return obstore.head(self._client(), f"{key}/{name}")["size"]

    def open(self, key: str, name: str, start: int = 0, stop: int | None = None) -> OpenFile:
        """Open a file; its bytes are read from the bucket as they are taken."""
        require_address(key, name)
        path = f"{key}/{name}"
        with self._asking_to_read():
            if start == 0 and stop is None:
                result = self._get(path)
                chunks = _whole(self._chunks(result), result)
                return OpenFile(result.meta["size"], chunks)
            try:
                result = self._get(path, (start, stop))
            except _generic_error() as error:
                # rclone sends the right bytes with the status of a whole file.
                if "non-partial" not in str(error):
                    raise
                result = self._get(path)
                size = result.meta["size"]
                end = size if stop is None else min(stop, size)
                return OpenFile(size, _part(self._chunks(result), start, end))
            return OpenFile(result.meta["size"], self._chunks(result))

    def read(self, key: str, name: str) -> bytes:
        """Read a whole file."""
        return b"".join(self.open(key, name).chunks)

    def listing(self) -> Iterator[StoredFile]:
        """Yield all files, in the order of the bucket; others have an empty key."""
        import obstore

        with self._asking():
            for many in obstore.list(self._client(), chunk_size=_AT_ONCE):
                for each in many:
                    key, _, name = each["path"].partition("/")
                    address = (key, name) if is_address(key, name) else ("", each["path"])
                    yield StoredFile(*address, each["size"], each["last_modified"])

    def nginx_path(self, _key: str, _name: str) -> str:
        """Return the empty string: nginx sends files of folders only."""
        return ""

    def public_address(self, key: str, name: str) -> str:
        """Return a file's address at the public store; empty where the service sends files."""
        base = self._settings.public_url.rstrip("/")
        return f"{base}/{key}/{name}" if base and is_address(key, name) else ""

    def _get(self, path: str, span: tuple[int, int | None] | None = None) -> "GetResult":
        import obstore

        if span is None:
            return obstore.get(self._client(), path)
        start, stop = span
        if stop is None:
            return obstore.get(self._client(), path, options={"range": {"offset": start}})
        return obstore.get(self._client(), path, options={"range": (start, stop)})

    def _chunks(self, result: "GetResult") -> Iterator[bytes]:
        with self._asking():
            yield from result.stream(min_chunk_size=_CHUNK)

    @contextlib.contextmanager
    def _asking_to_read(self) -> Iterator[None]:
        if not self._readers.acquire(timeout=_PATIENCE):
            raise Unavailable(_AWAY)
        try:
            with self._asking():
                yield
        finally:
            self._readers.release()

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        """Surround requests to the bucket; raises `Unavailable` for a failure, or soon after one.

        `FileNotFoundError` is an answer.
        """
        until = self._away_until
        if until is not None:
            if time.monotonic() < until:
                raise Unavailable(_AWAY)
            # This request alone tries; the others are refused until it has an answer.
            self._away_until = time.monotonic() + self._settings.seconds
        try:
            yield
        except _store_error() as error:
            self._away_until = time.monotonic() + _PAUSE
            reason = _reason(error)
            log.warning("files_unavailable", reason=reason)
            raise Unavailable(_AWAY) from ConnectionError(reason)
        except FileNotFoundError:
            self._away_until = None
            raise
        self._away_until = None

    def _client(self, *, writes: bool = False) -> "ObjectStore":
        with self._clients:
            if self._process != os.getpid():
                limit = timedelta(seconds=self._settings.seconds)
                self._writing = _connect(self._settings.url, limit, {"timeout": limit / 2})
                reading = {"read_timeout": limit / 6, "timeout": _SLOWEST}
                self._reading = _connect(self._settings.url, limit / 2, reading)
                self._process = os.getpid()
            return self._writing if writes else self._reading


def _connect(url: str, deadline: timedelta, options: dict[str, Any]) -> "ObjectStore":
    """Make the library's store; nothing is sent yet. No retry starts after the deadline."""
    from obstore.store import from_url

    parts = urlsplit(url)
    config: dict[str, Any] = dict(parse_qsl(parts.query))
    if parts.scheme == "s3":
        config["checksum_algorithm"] = "SHA256"
    plain = any(text.startswith("http://") for text in config.values())
    make: Callable[..., ObjectStore] = from_url
    return make(
        parts._replace(query="").geturl(),
        config=config,
        client_options={"connect_timeout": deadline / 5, "allow_http": plain, **options},
        retry_config={"max_retries": _RETRIES, "retry_timeout": deadline},
    )


def _store_error() -> type[Exception]:
    from obstore.exceptions import BaseError

    return BaseError


def _generic_error() -> type[Exception]:
    from obstore.exceptions import GenericError

    return GenericError


def _reason(error: Exception) -> str:
    """Return the first line of the library's error; a query may hold a signature."""
    return re.sub(r"\?\S+", "?…", str(error).partition("\n")[0])


def _whole(chunks: Iterator[bytes], result: "GetResult") -> Iterator[bytes]:
    """Yield the pieces of a whole file; the last one only if its size and digest are right.

    Some stores forget metadata: then the size is compared alone.
    """
    wanted = dict(result.attributes).get(_DIGEST)
    digest, size, held = hashlib.sha256(), 0, b""
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
        if held:
            yield held
        held = chunk
    if size != result.meta["size"] or wanted not in (None, digest.hexdigest()):
        raise DamagedFile(f"the file {result.meta['path']} is not what was saved")
    if held:
        yield held


def _part(chunks: Iterator[bytes], start: int, stop: int) -> Iterator[bytes]:
    """Yield a part of a whole file."""
    at = 0
    for chunk in chunks:
        if piece := chunk[max(start - at, 0) : max(stop - at, 0)]:
            yield piece
        at += len(chunk)
        if at >= stop:
            return
