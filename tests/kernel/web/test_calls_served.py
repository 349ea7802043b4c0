"""Calls through a server: their bodies, their order on a connection, and the server's end."""

import asyncio
import contextlib
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
import structlog
import uvicorn
from kernel.processes import free_port
from kernel.sample import Brings
from msgspec import Struct

from landyard import Call, Deprecation, Download, MethodGroup, NoContent, Plugin
from landyard.core.errors import InvalidRequest
from landyard.testing import WEBHOOK, Service
from landyard.web.bodies import SMALL
from landyard.web.http_connection import BoundedConnection

Answer = tuple[bytes, dict[bytes, bytes], bytes]
PATH = f"/rest/1/{WEBHOOK}/"
JSON = b"Content-Type: application/json\r\n"


class Said(Struct, frozen=True):
    """The content of an answer."""

    text: str = ""


class Waits:
    """Methods with different kinds of answers, and one that waits until it is released."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.go = threading.Event()
        self.echoed = 0

    def plugin(self) -> Plugin:
        group = MethodGroup(scope="sample")

        @group.method("sample.echo")
        def echo(call: Call, params: Said) -> object:
            """Answer the text, and the caller."""
            self.echoed += 1
            if params.text == "wrong":
                raise InvalidRequest("It is wrong.")
            if params.text == "crash":
                raise RuntimeError("crash")
            if params.text == "warn":
                call.warn("careful")
            return [params.text, call.request.address, dict(call.request.options)]

        @group.method("sample.quick", quick=True)
        def quick(call: Call, params: Said) -> object:
            """Answer at once."""
            return params.text

        @group.method("sample.file")
        def file(call: Call, params: Said) -> Download:
            """Answer a file."""
            return Download(iter([b"one ", b"two"]), "it.txt", "text/plain")

        @group.method("sample.nothing")
        def nothing(call: Call, params: Said) -> NoContent:
            """Answer nothing."""
            return NoContent()

        since, until = date(2026, 1, 1), date(2027, 1, 1)

        @group.method("sample.old", deprecated=Deprecation(since, until, "sample.echo"))
        def old(call: Call, params: Said) -> object:
            """Answer as before."""
            return True

        @group.method("sample.waits")
        def waits(call: Call, params: Said) -> object:
            """Answer when it is released."""
            self.began.set()
            return self.go.wait(20)

        return Plugin("sample", Brings(group), "samples", "1.0")


@pytest.fixture
def waits() -> Iterator[Waits]:
    made = Waits()
    yield made
    made.go.set()


@pytest.fixture
def running(waits: Waits) -> Iterator[tuple[uvicorn.Server, int]]:
    with Service([waits.plugin()], raise_crashes=False) as service:
        port = free_port()
        config = uvicorn.Config(
            service.web_app,
            port=port,
            http=BoundedConnection,
            lifespan="off",
            log_config=None,
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield server, port
        server.should_exit = True
        thread.join()


@pytest.fixture
def port(running: tuple[uvicorn.Server, int]) -> int:
    return running[1]


def heard(port: int, *said: bytes) -> bytes:
    """Send the pieces one after another, and read until the server closes."""
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for each in said:
            connection.sendall(each)
            time.sleep(0.02 * (len(said) > 1))
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def request(
    method: str,
    body: bytes = b"{}",
    headers: bytes = JSON,
    *,
    verb: str = "POST",
    last: bool = True,
) -> bytes:
    close = b"Connection: close\r\n" if last else b""
    size = b"Content-Length: %d\r\n" % len(body)
    head = f"{verb} {PATH}{method} HTTP/1.1\r\nHost: localhost\r\n".encode()
    return head + headers + close + size + b"\r\n" + body


def chunked(sent: bytes) -> bytes:
    """Send the same in chunks, without a length."""
    head, _, body = sent.partition(b"\r\n\r\n")
    head = re.sub(rb"Content-Length: \d+", b"Transfer-Encoding: chunked", head)
    chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    return head + b"\r\n\r\n" + chunk + b"0\r\n\r\n"


def parsed(text: bytes) -> Answer:
    """Read an answer, without the parts that differ between two equal answers."""
    head, _, body = text.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = [line.split(b": ", 1) for line in lines]
    assert len({name for name, _ in headers}) == len(headers)
    found = dict(headers)
    if b"content-length" in found:
        assert int(found.pop(b"content-length")) == len(body)
    for name in (b"date", b"x-request-id", b"landyard-time"):
        assert found.pop(name, b"") or name == b"landyard-time"
    return status, found, re.sub(rb'"time":\{[^}]*\}', b"", body)


SAID = {
    "a reply": request("sample.echo", b'{"text": "hello"}'),
    "a quick one": request("sample.quick", b'{"text": "hello"}'),
    "without a body": request("sample.echo", b"", b""),
    "by GET": request("sample.echo?text=a+b", b"", b"", verb="GET"),
    "a form": request(
        "sample.echo", b"text=a%20b", b"Content-Type: application/x-www-form-urlencoded\r\n"
    ),
    "refused": request("sample.echo", b'{"text": "wrong"}'),
    "crashed": request("sample.echo", b'{"text": "crash"}'),
    "warned": request("sample.echo", b'{"text": "warn"}'),
    "unknown": request("sample.unknown"),
    "deprecated": request("sample.old"),
    "nothing": request("sample.nothing"),
    "a file": request("sample.file"),
    "no JSON": request("sample.echo", b"{"),
    "no JSON, quick": request("sample.quick", b"{"),
    "a wrong secret": request("sample.echo").replace(WEBHOOK.encode(), b"wrong-webhook-0123456"),
    "an unknown option": request("sample.echo", b"{}", JSON + b"Idempotency-Key: one\r\n"),
    "an empty JSON": request("sample.quick", b"  "),
    "the same header twice": request("sample.echo", b"{}", JSON + b"X-A: 1\r\nX-A: 2\r\n"),
}


@pytest.mark.parametrize("sent", SAID.values(), ids=SAID)
def test_a_call_in_chunks_gets_the_same_answer(port: int, sent: bytes) -> None:
    heard(port, sent)  # from now on the credential is known
    announced, other = heard(port, sent), heard(port, chunked(sent))

    assert parsed(announced) == parsed(other)
    assert b"HTTP/1.1 2" in announced or b"error_description" in announced


def test_the_request_id_is_the_callers_own(port: int) -> None:
    for method in ("sample.echo", "sample.quick", "sample.quick"):
        answer = heard(port, request(method, b"{}", JSON + b"X-Request-Id: mine-1\r\n"))
        assert answer.count(b"x-request-id: mine-1\r\n") == 1


def test_a_body_may_come_in_pieces(port: int) -> None:
    sent = request("sample.echo", b'{"text": "hello"}')
    answer = heard(port, sent[:30], sent[30:-9], sent[-9:-1], sent[-1:])

    assert b'"result":["hello",' in answer


def test_several_calls_of_a_connection_are_answered_in_order(port: int) -> None:
    said = [
        request(method, b'{"text": "<%d>"}' % number, last=number == 7)
        for number, method in enumerate(["sample.quick", "sample.echo"] * 4)
    ]
    said[3] = chunked(said[3])
    answer = heard(port, b"".join(said))

    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 8
    assert re.findall(rb"<(\d)>", answer) == [b"%d" % number for number in range(8)]


def test_many_connections_at_once_get_their_own_answers(port: int) -> None:
    async def ask(number: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found = b""
        for turn in range(10):
            text = b"%d-%d" % (number, turn)
            method = "sample.quick" if (number + turn) % 3 else "sample.echo"
            writer.write(request(method, b'{"text": "<%b>"}' % text, last=False))
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
            found += (await reader.readexactly(size)).count(b"<%b>" % text) * b"."
        writer.close()
        return found

    async def all_of_them() -> list[bytes]:
        return await asyncio.gather(*map(ask, range(40)))

    assert asyncio.run(all_of_them()) == [b"." * 10] * 40


def test_a_connection_stays_open_unless_the_client_asks_to_close(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        for method in ("sample.quick", "sample.echo", "sample.quick", "sample.file"):
            connection.sendall(request(method, last=False))
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 OK\r\n")
            time.sleep(0.05)  # the end of a file that is sent in chunks
            connection.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                connection.recv(1 << 16)
            connection.settimeout(30)

    old = request("sample.echo").replace(b"HTTP/1.1", b"HTTP/1.0")
    assert b"connection: close\r\n" in heard(port, old)


@pytest.mark.parametrize("size", [SMALL, SMALL + 1])
def test_a_large_call_is_answered(port: int, size: int) -> None:
    body = b'{"text": "%b"}' % (b"x" * (size - len('{"text": ""}')))
    answer = heard(port, request("sample.echo", body))

    assert b"HTTP/1.1 200 OK" in answer
    assert b"x" * (size - 20) in answer


def test_a_client_that_waits_for_permission_to_send_the_body_gets_it(port: int) -> None:
    sent = request("sample.echo", b"{}", JSON + b"Expect: 100-continue\r\n")
    answer = heard(port, sent[:-2], sent[-2:])

    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


def test_a_trusted_proxy_names_the_caller(port: int) -> None:
    named = JSON + b"X-Forwarded-For: 192.0.2.7\r\n"

    assert b'"result":["","192.0.2.7",' in heard(port, request("sample.echo", b"{}", named))


def test_a_client_that_hangs_up_during_the_call_does_no_harm(port: int, waits: Waits) -> None:
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(request("sample.waits"))
        assert waits.began.wait(20)
    waits.go.set()

    assert b"HTTP/1.1 200 OK" in heard(port, request("sample.echo"))


def test_a_caller_waiting_when_the_service_stops_gets_an_answer(
    running: tuple[uvicorn.Server, int], waits: Waits
) -> None:
    server, port = running
    answers: list[bytes] = []
    asked = threading.Thread(
        target=lambda: answers.append(heard(port, request("sample.waits", last=False)))
    )
    asked.start()
    assert waits.began.wait(20)
    server.should_exit = True
    asked.join(20)

    assert b"HTTP/1.1 503 " in answers[0]
    assert b"connection: close\r\n" in answers[0]
    assert b"The service is stopping; what became of the call is unknown." in answers[0]


def test_a_refused_call_is_logged_and_counted(port: int) -> None:
    with structlog.testing.capture_logs() as logged:
        heard(port, request("sample.echo", b"{", JSON + b"X-Request-Id: it\r\n"))

    told: list[Any] = [each for each in logged if each["event"] == "request_refused"]
    assert [(each["request_id"], each["status"]) for each in told] == [("it", 400)]


def test_a_client_that_does_not_read_is_not_answered_without_end(port: int, waits: Waits) -> None:
    asked = request("sample.echo", b'{"text": "%b"}' % (b"x" * 60_000), last=False)
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.settimeout(2)
        with pytest.raises(TimeoutError):
            connection.sendall(1000 * asked)

    assert 1 < waits.echoed < 500


def test_a_waiting_connection_keeps_no_body(
    running: tuple[uvicorn.Server, int], waits: Waits
) -> None:
    server, port = running
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(request("sample.echo", b'{"text": "secret"}', last=False))
        answer = b""
        while b"secret" not in answer:
            piece = connection.recv(1 << 16)
            assert piece, answer
            answer += piece
        (kept,) = server.server_state.connections
        assert isinstance(kept, BoundedConnection)

        assert kept.cycle.body == b""


def test_a_caller_still_sending_when_the_service_stops_gets_an_answer(
    running: tuple[uvicorn.Server, int],
) -> None:
    server, port = running
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(request("sample.echo", b'{"text": "hello"}', last=False)[:-5])
        time.sleep(0.2)
        server.should_exit = True
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))

    assert b"HTTP/1.1 503 " in answer


@pytest.mark.parametrize("method", ["sample.quick", "sample.echo"])
def test_a_client_that_leaves_a_pipeline_is_no_error(
    port: int, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    heard(port, request(method))
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port), 30) as connection:
            connection.sendall(request(method, last=False) * 5)
            linger = struct.pack("ii", 1, 0)  # the other side gets a reset
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    assert b"HTTP/1.1 200 OK" in heard(port, request(method))

    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == []
