"""HTTP connections that send too much, too slowly, or nothing at all."""

import asyncio
import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvicorn
import uvloop
from kernel.processes import free_port

from landyard.web import http_connection as connection
from landyard.web.http_connection import LAST_CALL, MOST_FRAMING, BoundedConnection

LONG = 50_000_000
HELLO = b"POST /x HTTP/1.1\r\nHost: localhost\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer the number of bytes in the body; at `/long` far more than a socket holds."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    body = b"x" * LONG if scope["path"] == "/long" else str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server in a thread, with short time limits."""
    monkeypatch.setattr(connection, "CHECK_EVERY", 1.0)
    monkeypatch.setattr(connection, "MIN_RATE", 500)
    port = free_port()
    config = uvicorn.Config(
        app, port=port, http=BoundedConnection, lifespan="off", log_config=None, ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield port
    server.should_exit = True
    thread.join()


def posted(port: int, *bodies: bytes) -> list[int]:
    """Send complete calls over one connection; return the statuses of the answers."""
    statuses = []
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as client:
        for body in bodies:
            client.request("POST", "/rest/1/nobody/methods.json", body)
            answer = client.getresponse()
            answer.read()
            statuses.append(answer.status)
    return statuses


async def talk(port: int, *said: bytes, pause: float = 0.0) -> bytes:
    """Send the pieces one after another, and read until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with contextlib.suppress(ConnectionError):
            for each in said:
                writer.write(each)
                await writer.drain()
                await asyncio.sleep(pause)
        heard = b""
        with contextlib.suppress(ConnectionError):
            while chunk := await asyncio.wait_for(reader.read(65536), 20):
                heard += chunk
        return heard
    finally:
        writer.close()


def told(port: int, *said: bytes, pause: float = 0.0) -> bytes:
    return asyncio.run(talk(port, *said, pause=pause))


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"POST /x HT",
        HELLO,
        HELLO + b"Content-Length: 5\r\n\r\nabc",
        HELLO + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ],
    ids=["nothing", "half a line", "half a head", "half a body", "half the chunks"],
)
def test_an_endless_request_is_cut_off(port: int, said: bytes) -> None:
    assert b"400 Bad Request" in told(port, said)


def test_a_dripping_request_is_cut_off(port: int) -> None:
    head = HELLO + b"Connection: close\r\nContent-Length: 1000\r\n\r\n"

    heard = told(port, head, *[b"x"] * 30, pause=0.1)

    # A client that goes on sending may not read the reason.
    assert b"200 OK" not in heard


def test_a_long_request_at_sufficient_speed_is_received(port: int) -> None:
    """It takes two seconds, where a short request may take one."""
    head = HELLO + b"Connection: close\r\nContent-Length: 10000\r\n\r\n"

    assert told(port, head, *[b"x" * 1000] * 10, pause=0.2).endswith(b"10000")


@pytest.mark.parametrize(
    "head",
    [
        HELLO + b"X-Long: " + b"x" * 2 * MOST_FRAMING,
        HELLO + b"X-Many: 1\r\n" * (MOST_FRAMING // 5),
        b"POST /" + b"x" * 2 * MOST_FRAMING,
    ],
    ids=["one header", "many headers", "an address"],
)
def test_an_oversized_head_is_cut_off(port: int, head: bytes) -> None:
    heard = told(port, *[head[at : at + 8192] for at in range(0, len(head), 8192)], pause=0.01)

    assert b"200 OK" not in heard


def test_each_request_of_a_connection_has_its_own_time(port: int) -> None:
    ask = HELLO + b"Content-Length: 1\r\n\r\nx"
    last = HELLO + b"Connection: close\r\nContent-Length: 1\r\n\r\nx"

    heard = told(port, ask, ask, ask, ask, last, pause=0.3)

    assert heard.count(b"200 OK") == 5


def test_the_service_is_served_over_such_connections(tmp_path: Path) -> None:
    from kernel.processes import serving

    with serving(tmp_path) as server:
        heard = told(server.port, b"GET /healthz HTTP/1.1\r\n" + b"X-Long: x\r\n" * 30_000)
        refused, after = posted(server.port, b"x" * 60_000_000, b"")

    assert b"200 OK" not in heard
    assert "head_too_large" in server.err
    # Most clients send the whole body before they read the refusal.
    assert (refused, after) == (413, 401)


@pytest.mark.rule("C13", "C14")
def test_a_cut_off_request_gets_the_usual_envelope(port: int) -> None:
    head, _, body = told(port, HELLO).partition(b"\r\n\r\n")

    assert msgspec.json.decode(body)["error"] == "INVALID_REQUEST"
    assert b"\r\nx-request-id: " in head
    assert b"\r\ncontent-type: application/json; charset=utf-8" in head


@pytest.mark.rule("C13")
def test_C13_a_body_without_memory_for_it_is_503(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_body(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.on_body", on_body)
    head = HELLO + b"Content-Length: 3000000\r\n\r\n"

    heard = told(port, head, *[b"x" * 100_000] * 30)

    assert heard.startswith(b"HTTP/1.1 503 ")
    assert heard.count(b"OVERLOAD_LIMIT") == 1


def test_an_empty_line_does_not_keep_a_connection_open(port: int) -> None:
    """uvicorn's own timer for idle connections stops at any byte."""
    ask = HELLO + b"Content-Length: 1\r\n\r\nx"

    heard = told(port, ask, b"\r\n", pause=0.2)

    assert heard.count(b"200 OK") == 1
    assert b"400 Bad Request" in heard


@pytest.mark.parametrize(
    "endless",
    [b"a: b\r\n" * 100, b"x" * 1000],
    ids=["trailers", "one trailer"],
)
def test_endless_trailers_are_cut_off(port: int, endless: bytes) -> None:
    head = HELLO + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
    first = b"" if endless.startswith(b"a") else b"a: "

    heard = told(port, head + first, *[endless] * 200)

    assert b"200 OK" not in heard


def test_a_chunk_with_an_endless_extension_is_cut_off(port: int) -> None:
    head = HELLO + b"Transfer-Encoding: chunked\r\n\r\n1;"

    assert b"200 OK" not in told(port, head, *[b"x" * 1000] * 200)


def test_fast_bytes_allow_no_later_silence(port: int) -> None:
    """Ten thousand bytes at once, and then nothing: at the slowest speed they would last a
    minute.
    """
    head = HELLO + b"Content-Length: 20000\r\n\r\n"
    begun = time.monotonic()

    assert b"200 OK" not in told(port, head + b"x" * 10_000)
    assert time.monotonic() - begun < 40


def test_a_head_and_a_long_body_may_come_at_once(port: int) -> None:
    head = HELLO + b"Connection: close\r\nContent-Length: 300000\r\n\r\n"

    assert told(port, head + b"x" * 300_000).endswith(b"300000")


def test_a_client_that_does_not_read_is_not_waited_for(port: int) -> None:
    heard = told(port, b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n", pause=5.0)

    assert 0 < len(heard) < LONG


def test_a_call_received_before_the_close_is_answered() -> None:
    """The loop is busy while the last call arrives, and learns of call and close at once."""
    port, loop = free_port(), uvloop.new_event_loop()
    busy, other = socket.socketpair()
    config = uvicorn.Config(app, port=port, http=BoundedConnection, lifespan="off", log_config=None)
    server = uvicorn.Server(config)

    def work() -> None:
        busy.recv(1)
        time.sleep(0.4)

    def stop() -> None:
        (one,) = server.server_state.connections
        one.shutdown()
        loop.add_reader(busy, work)

    thread = threading.Thread(target=loop.run_until_complete, args=[server.serve()])
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        client.request("POST", "/x")
        first = client.getresponse().read()
        loop.call_soon_threadsafe(stop)
        time.sleep(LAST_CALL - 0.2)
        other.send(b" ")
        time.sleep(0.2)
        client.request("POST", "/x")
        last = client.getresponse().read()
    finally:
        server.should_exit = True
        thread.join()
        loop.close()
        busy.close()
        other.close()

    assert (first, last) == (b"0", b"0")
