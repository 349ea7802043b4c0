"""The raw limit: an ASGI application with msgspec and prepared statements, without any framework.

It looks up the credential for every call, checks rights, writes the same rows, and sends an answer
after its commit. `BENCH_DATABASE` is SQLite, used on the event loop, or PostgreSQL, used by a few
threads.
"""

import asyncio
import hmac
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from bench.limit_html import NothingFound
from bench.limit_methods import METHODS, NAMES, Caller, Handler, Paged, Refused
from bench.limit_store import Execute, digest, fill, open_store
from bench.limit_upload import UploadFile, upload
from msgspec import UNSET, Struct, UnsetType

_ADDRESS = "127.0.0.1"
_HEADERS = (
    (b"content-type", b"application/json; charset=utf-8"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
)
_WHO = (
    "SELECT w.digest, w.account, w.scopes, w.active, w.expires_at, a.active, a.admin"
    " FROM webhook w JOIN account a ON a.id = w.account WHERE w.digest = ?"
)
_AUDIT = (
    "INSERT INTO audit (at, account, credential, address, method, plugin, version, subject,"
    " outcome, seconds, request) VALUES (?, ?, ?, ?, ?, '', '', ?, 'ok', ?, ?)"
)
_BUCKET, _BUCKETS = 60, 10  # seconds of a bucket, and the number of buckets that count


class Timing(Struct, frozen=True):
    start: float
    finish: float
    duration: float
    processing: float
    date_start: str
    date_finish: str
    operating: float
    operating_reset_at: float | UnsetType


class Answer(Struct, frozen=True):
    result: Any
    time: Timing
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET


store = open_store(os.environ["BENCH_DATABASE"])
if not os.environ.get("BENCH_FILLED"):  # filled by another process that shares the database
    fill(store)
_recorded = msgspec.json.decode(Path(os.environ["BENCH_RECORDED"]).read_bytes())
NAMES.update(
    (name, "landing" if name.startswith("landing.") else "")
    for name in _recorded["methods"]["result"]
)
_methods: dict[str, tuple[msgspec.json.Decoder[Any], Handler, bool]] = {
    name: (msgspec.json.Decoder(params), handler, writes)
    for name, (params, handler, writes) in {
        **METHODS,
        "landing.block.uploadfile": (UploadFile, upload, True),
    }.items()
}
_encoder = msgspec.json.Encoder()
_pool = ThreadPoolExecutor(store.threads) if store.threads else None
_spent: dict[tuple[str, str], dict[int, float]] = {}
_numbers = itertools.count(1)
_dates: dict[int, str] = {}
_page = _recorded["page"].encode()
_page_tag = f'"{digest(_recorded["page"])[:32]}"'.encode()
_LASTING = tuple((name.encode(), value.encode()) for name, value in _recorded["page_headers"])
_UNCHANGED = ((b"etag", _page_tag), *_LASTING)
_LENGTH = (b"content-length", str(len(_page)).encode())
_FOUND = ((b"content-type", b"text/html; charset=utf-8"), _LENGTH, *_UNCHANGED)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer a call, or send the page."""
    if scope["type"] != "http":
        return
    path: str = scope["path"]
    if not path.startswith("/rest/"):
        await _send_page(scope, send)
        return
    body = b""
    while True:
        message = await receive()
        body += message["body"]
        if not message.get("more_body"):
            break
    if _pool is None:
        status, told = _answer(path, body)
    else:
        loop = asyncio.get_running_loop()
        status, told = await loop.run_in_executor(_pool, _answer, path, body)
    length = (b"content-length", str(len(told)).encode())
    request = (b"x-request-id", b"limit-%d" % next(_numbers))
    headers = (*_HEADERS, length, request)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": told})


def _answer(path: str, body: bytes) -> tuple[int, bytes]:
    began = time.time()
    try:
        return 200, _run(path, body, began, time.perf_counter())
    except (Refused, NothingFound, msgspec.DecodeError) as error:
        return 400, _encoder.encode({"error": str(error), "error_description": str(error)})


def _run(path: str, body: bytes, began: float, clock: float) -> bytes:
    _, _, user, code, name = path.split("/", 4)
    name = name.lower().removesuffix(".json")
    decoder, handler, writes = _methods[name]
    context: AbstractContextManager[Execute] = store.reading()
    with context as execute:
        caller = _caller(execute, user, code)
        if name != "methods" and "landing" not in caller.scopes:
            raise Refused("insufficient_scope")
        params = decoder.decode(body)
        if not writes:
            result = handler(execute, caller, params)
    if writes:
        with store.writing() as execute:
            result = handler(execute, caller, params)
            now = datetime.fromtimestamp(began, UTC).isoformat()
            who = (now, caller.user, caller.credential, _ADDRESS, name)
            execute(_AUDIT, (*who, _subject(params), time.perf_counter() - clock, ""))
    timing = _timing(caller.credential, name, began, clock)
    if isinstance(result, Paged):
        return _encoder.encode(Answer(result.items, timing, result.next, result.total))
    return _encoder.encode(Answer(result, timing))


def _caller(execute: Execute, user: str, code: str) -> Caller:
    hashed = digest(code)
    row = execute(_WHO, (hashed,)).fetchone()
    if row is None or not hmac.compare_digest(row[0], hashed) or str(row[1]) != user or not row[3]:
        raise Refused("INVALID_CREDENTIALS")
    if row[4] is not None and row[4] < datetime.now(UTC).isoformat():
        raise Refused("INVALID_CREDENTIALS")
    if not row[5]:
        raise Refused("user_access_error")
    return Caller(row[1], bool(row[6]), row[2].split(), hashed[:12])


def _subject(params: Any) -> str:
    return f"page:{params.lid}" if hasattr(params, "lid") else ""


def _timing(credential: str, name: str, began: float, clock: float) -> Timing:
    took = time.perf_counter() - clock
    bucket = int(began) // _BUCKET
    used = _spent.setdefault((credential, name), {})
    used[bucket] = used.get(bucket, 0.0) + took
    for old in [each for each in used if each <= bucket - _BUCKETS]:
        del used[old]
    finish = began + took
    return Timing(
        start=began,
        finish=finish,
        duration=took,
        processing=took,
        date_start=_date(int(began)),
        date_finish=_date(int(finish)),
        operating=sum(used.values()),
        operating_reset_at=float((min(used) + _BUCKETS) * _BUCKET),
    )


def _date(second: int) -> str:
    known = _dates.get(second)
    if known is None:
        _dates.clear()
        known = _dates[second] = datetime.fromtimestamp(second, UTC).isoformat()
    return known


async def _send_page(scope: Any, send: Any) -> None:
    """Send the page's bytes from memory; the version is read each time, because publishing changes
    it.
    """
    store.execute("SELECT version FROM public", ()).fetchone()
    status, headers, body = 200, _FOUND, _page
    for name, value in scope["headers"]:
        if name == b"if-none-match" and value == _page_tag:
            status, headers, body = 304, _UNCHANGED, b""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
