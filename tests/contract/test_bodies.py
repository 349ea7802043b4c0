"""Any bytes in a request are read as C3 defines or refused, and never crash the server (C3,
C13).
"""

import gzip
import re
import socket
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import msgspec
import pytest
from contract.bodies import (
    FORM,
    JSON,
    MULTIPART,
    READ,
    READ_FORMS,
    UNREADABLE_FORMS,
    UNREADABLE_JSON,
    Read,
)
from contract.multiparts import END, MISTAKEN, READ_MULTIPARTS, UNREADABLE_MULTIPARTS, part
from contract.raw_requests import CLOSE, RAW, Raw
from kernel.processes import PATIENCE, Server, serving
from kernel.sample import CALL, sample_service
from tables import Test, for_each

from landyard.testing import Service
from landyard.web.wire import Incoming

GIVEN = f"/rest{CALL}sample.given"
MEBIBYTE = 2**20
ENVELOPES = ({"error", "error_description"}, {"result", "time"})


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


def send(service: Service, body: bytes, kind: str = JSON, **headers: str) -> tuple[int, Any]:
    """Post a body over HTTP; return the status, and the error code or the parameters read."""
    sent = {"Content-Type": kind.encode("latin-1"), **headers}
    answer = service.request("POST", GIVEN, content=body, headers=sent)
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    decoded = answer.json()
    assert set(decoded) in ENVELOPES
    return answer.status_code, decoded.get("error", decoded.get("result"))


INVALID = (400, "INVALID_REQUEST")


def cases(table: dict[str, Any]) -> Callable[[Test], Test]:
    return for_each("case", table.values())


@pytest.mark.rule("C3", "C13")
@cases(UNREADABLE_JSON)
@pytest.mark.parametrize("kind", [JSON, ""])
def test_C3_unreadable_json(service: Service, case: bytes, kind: str) -> None:
    assert send(service, case, kind) == INVALID


@pytest.mark.rule("C3")
@cases(READ | MISTAKEN)
def test_C3_readable_json(service: Service, case: Read) -> None:
    assert send(service, case.body, case.kind) == (200, case.gives)


@pytest.mark.rule("C3", "C13")
@cases(UNREADABLE_FORMS)
def test_C3_unreadable_forms(service: Service, case: bytes) -> None:
    assert send(service, case, FORM) == INVALID


@pytest.mark.rule("C3", "C13")
@cases(UNREADABLE_FORMS)
def test_C3_unreadable_queries(service: Service, case: bytes) -> None:
    path = GIVEN.removeprefix("/rest")

    answer = service.send(Incoming("GET", path, query=case))

    assert (answer.status, answer.error) == INVALID


@pytest.mark.rule("C3")
@cases(READ_FORMS)
def test_C3_readable_forms(service: Service, case: Read) -> None:
    assert send(service, case.body, case.kind) == (200, case.gives)


@pytest.mark.rule("C3", "C13")
@cases(UNREADABLE_MULTIPARTS)
def test_C3_unreadable_multiparts(service: Service, case: tuple[bytes, str]) -> None:
    assert send(service, *case) == INVALID


@pytest.mark.rule("C3")
@cases(READ_MULTIPARTS)
def test_C3_readable_multiparts(
    service: Service, case: tuple[tuple[bytes, str], dict[str, Any]]
) -> None:
    sent, gives = case

    assert send(service, *sent) == (200, gives)


@pytest.mark.rule("C3")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "identity, gzip"])
def test_C3_nothing_is_unpacked(service: Service, encoding: str) -> None:
    packed = gzip.compress(b'{"a": "' + b"x" * MEBIBYTE + b'"}')
    encoded = {"Content-Encoding": encoding}

    assert send(service, packed, **encoded) == INVALID
    assert send(service, b'{"a": 1}', **encoded) == (200, {"a": 1})


@pytest.mark.rule("C13")
@pytest.mark.parametrize("kind", [JSON, FORM, MULTIPART, "text/plain"])
def test_C13_an_ordinary_call_has_1_MiB(service: Service, kind: str) -> None:
    padding = b" " * (MEBIBYTE - 2)

    assert send(service, b"{}" + padding)[0] == 200
    assert send(service, b"{} " + padding, kind) == (413, "INVALID_REQUEST")


@pytest.mark.rule("C3")
@pytest.mark.parametrize(
    "body",
    [
        b"{" + b",".join(b'"%d":0' % key for key in range(10_001)) + b"}",
        b'{"a": [' + b"0," * 20_000 + b"0]}",
        b'{"a": [' + b"[]," * 20_000 + b"[]]}",
        b'{"a": [' + b'{"b":{}},' * 6_000 + b"1]}",
        b'{"a": [' + b'",\\"",' * 20_000 + b"0]}",
        b'{"a": {' + b'"a":1,' * 20_000 + b'"a":1}}',
    ],
    ids=["keys", "items", "lists", "objects", "texts", "the same key"],
)
def test_C3_too_many_keys_and_items(service: Service, body: bytes) -> None:
    assert send(service, body) == INVALID


# Bodies of about `size` bytes that might take more than linear time to read.
SLOW: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "escaped quotes without an end": (
        JSON,
        lambda size: b"[" + b"," * 10_001 + b'"' + b'\\"' * (size // 2),
    ),
    "quotes": (JSON, lambda size: b"[" + b"," * 10_001 + b'"' * size),
    "backslashes": (JSON, lambda size: b"[" + b"," * 10_001 + b'"' + b"\\" * size),
    "texts of commas": (JSON, lambda size: b'{"a": ["' + b'",",' * (size // 4) + b'"]}'),
    "open lists": (JSON, lambda size: b"[" * size),
    "digits": (JSON, lambda size: b'{"a": ' + b"1" * size + b"}"),
    "one key again": (JSON, lambda size: b'{"a":1' + b',"a":1' * min(size // 6, 9_990) + b"}"),
    "brackets in a name": (FORM, lambda size: b"a" + b"[" * size + b"=1"),
    "brackets that do not close": (FORM, lambda size: b"a" + b"[b" * (size // 2) + b"=1"),
    "brackets that do not open": (FORM, lambda size: b"a[" + b"[]" * (size // 2) + b"=1"),
    "fields without a name": (FORM, lambda size: b"&" * size),
    "escapes": (FORM, lambda size: b"a=" + b"%" * size),
    "items": (FORM, lambda size: b"a[]=1&" * min(size // 6, 4_990)),
    "boundaries, almost": (MULTIPART, lambda size: part(text=b"\r\n--X" * (size // 5)) + END),
    "returns": (MULTIPART, lambda size: part(text=b"\r" * size) + END),
    "dashes": (MULTIPART, lambda size: b"-" * size),
    "a head without an end": (MULTIPART, lambda size: b"--XX\r\nA" + b"a" * size),
    "parts": (MULTIPART, lambda size: part() * (size // len(part())) + END),
}


@pytest.mark.rule("C3")
@pytest.mark.parametrize(("kind", "body"), SLOW.values(), ids=SLOW.keys())
def test_C3_reading_takes_time_in_proportion_to_the_size(
    service: Service, kind: str, body: Callable[[int], bytes]
) -> None:
    def cost(size: int) -> float:
        incoming = Incoming("POST", f"{CALL}sample.given", body=body(size), content_type=kind)
        started = time.thread_time()
        service.send(incoming)
        return time.thread_time() - started

    small = min(cost(2_000) for _ in range(3))
    large = min(cost(32_000) for _ in range(2))

    # The size grows 16-fold; a quadratic algorithm would take 256 times as long. The constant is
    # the cost of a call of any size.
    assert large < 64 * small + 0.05


# Further bodies, which might take more than linear memory.
LARGE = {
    **SLOW,
    "empty texts": (JSON, lambda size: b'{"a": [' + b'"",' * (size // 3) + b'""]}'),
    "texts without commas": (JSON, lambda size: b"[" + b"," * 10_001 + b'""' * (size // 2)),
    "escaped letters": (FORM, lambda size: b"a=" + b"%c3%a9" * (size // 6)),
    "escapes apart": (FORM, lambda size: b"a=" + b"xy%78%79" * (size // 8)),
    "a long name": (FORM, lambda size: b"a[" + b"x" * size + b"]=1"),
    "letters": (MULTIPART, lambda size: part(text="é".encode() * (size // 2)) + END),
}


@pytest.mark.rule("C3")
@pytest.mark.parametrize(("kind", "body"), LARGE.values(), ids=LARGE.keys())
def test_C3_reading_takes_room_in_proportion_to_the_size(
    service: Service, kind: str, body: Callable[[int], bytes]
) -> None:
    incoming = Incoming("POST", f"{CALL}sample.given", body=body(300_000), content_type=kind)
    tracemalloc.start()
    try:
        service.send(incoming)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    # The constant is the memory of a call of any size, and of ten thousand values.
    assert peak < 6 * len(incoming.body) + 2 * MEBIBYTE


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("raw"), "--demo", LANDYARD_LOG_FORMAT="json") as server:
        yield server


def speak(server: Server, sent: bytes) -> bytes:
    """Send bytes, and read until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        answer = b""
        try:
            connection.sendall(sent)
            while received := connection.recv(65536):
                answer += received
        except ConnectionError:
            pass  # the server closed the connection before all bytes were sent
        return answer


@pytest.mark.rule("C3", "C13")
@cases(RAW)
def test_C3_any_bytes_for_a_request(server: Server, case: Raw) -> None:
    answer = speak(server, case.sent.replace(b"{call}", f"{server.webhook}methods".encode()))
    statuses = [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]

    assert tuple(status for status in statuses if status != 100) == case.answers
    assert answer.count(b'"result"') == case.answers.count(200)
    assert server.process.poll() is None


FLOODS = {
    "10,000 headers": [b"X-%d: 1" % number for number in range(10_000)],
    "a header of 1 MB": [b"X-A: " + b"a" * MEBIBYTE],
    "a name of 1 MB": [b"A" * MEBIBYTE + b": a"],
    "a cookie of 100 kB": [b"Cookie: " + b"a=b;" * 25_000],
    "10,000 lengths": [b"Content-Length: 2"] * 10_000,
}


@pytest.mark.rule("C13")
@cases(FLOODS)
def test_C13_a_flood_of_headers_is_refused(server: Server, case: list[bytes]) -> None:
    path = f"POST {server.webhook}methods HTTP/1.1".encode()

    answer = speak(server, b"\r\n".join([path, b"Host: x", CLOSE, *case, b"", b""]))

    # If the client goes on sending, the connection may be reset before it reads the answer.
    assert not answer or answer.startswith(b"HTTP/1.1 400 ")
    assert server.answers()


EVERY_BODY = [
    *((body, kind, 400) for body in UNREADABLE_JSON.values() for kind in (JSON, "")),
    *((body, FORM, 400) for body in UNREADABLE_FORMS.values()),
    *((*sent, 400) for sent in UNREADABLE_MULTIPARTS.values()),
    *((each.body, each.kind, 200) for each in (READ | READ_FORMS | MISTAKEN).values()),
    *((*sent, 200) for sent, _ in READ_MULTIPARTS.values()),
]


@pytest.mark.rule("C3", "C13")
def test_C3_every_body_is_answered_on_one_connection(server: Server) -> None:
    path = f"{server.webhook}landing.landing.getpublicurl?lid=10"
    wrong = []
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as connection:
        for number, (body, kind, status) in enumerate(EVERY_BODY):
            headers: Any = {"Content-Type": kind.encode("latin-1"), "X-Request-Id": f"n{number}"}
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            keys = set(msgspec.json.decode(answer.read()))
            header = answer.headers["X-Request-Id"] == f"n{number}"
            if answer.status != status or not header or keys not in ENVELOPES:
                wrong.append((body[:60], kind, answer.status))

    assert wrong == []
    assert len(EVERY_BODY) >= 140
