"""Pages through a server: from memory and rendered, with the same bytes and log lines."""

import re
import socket
from collections.abc import Iterator

import msgspec
import pytest
from faulty.load import PAGE_PATH, WORLD
from kernel.processes import Server, landyard, serving

Answer = tuple[bytes, dict[bytes, bytes], bytes]
HOST = b"Host: localhost\r\n"


@pytest.fixture(scope="module", params=["json", "console"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp(request.param)
    assert landyard(folder, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    with serving(folder, LANDYARD_LOG_FORMAT=request.param) as server:
        for _ in range(2):
            ask(server, b"GET", b"")  # from now on it is in memory
        yield server


def heard(server: Server, *said: bytes) -> bytes:
    """Send everything at once, and read until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), 30) as connection:
        connection.sendall(b"".join(said))
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def request(verb: bytes, headers: bytes, query: bytes = b"", version: bytes = b"1.1") -> bytes:
    target = PAGE_PATH.encode() + query
    return b"%b %b HTTP/%b\r\n%b%b\r\n" % (verb, target, version, HOST, headers)


def parsed(text: bytes) -> Answer:
    head, _, body = text.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = [line.split(b": ", 1) for line in lines]
    assert len({name for name, _ in headers}) == len(headers)
    return status, dict(headers), body


def ask(server: Server, verb: bytes, headers: bytes, query: bytes = b"") -> Answer:
    return parsed(heard(server, request(verb, headers + b"Connection: close\r\n", query)))


@pytest.mark.parametrize("verb", [b"GET", b"HEAD"])
@pytest.mark.parametrize(
    "headers",
    [
        *(b"", b"Accept-Encoding: gzip\r\n", b"If-None-Match: *\r\n"),
        b"If-None-Match: x\r\nIf-None-Match: *\r\n",
    ],
)
def test_an_answer_from_memory_equals_the_rendered_one(
    server: Server, verb: bytes, headers: bytes
) -> None:
    path = f"?{verb!r}{headers!r}".translate(str.maketrans("", "", "'\\ ")).encode()
    ask(server, b"GET", b"", path + b"-kept")
    made = ask(server, verb, headers, path)
    kept = ask(server, verb, headers, path + b"-kept")

    for _, told, _ in (made, kept):
        assert re.fullmatch(rb"[0-9a-f]{20}", told.pop(b"x-request-id"))
        assert told.pop(b"date").endswith(b"GMT")
    assert kept == made


def test_a_request_keeps_its_own_id(server: Server) -> None:
    assert ask(server, b"GET", b"X-Request-Id: mine-1\r\n")[1][b"x-request-id"] == b"mine-1"


def test_old_connections_are_closed_and_others_kept(server: Server) -> None:
    old = parsed(heard(server, request(b"GET", b"", version=b"1.0")))
    both = heard(server, request(b"GET", b""), request(b"GET", b"Connection: close\r\n"))

    assert old[1][b"connection"] == b"close"
    assert both.count(b"HTTP/1.1 200 OK") == 2
    assert both.count(b"connection: close") == 1


def test_many_requests_may_follow_a_slow_one_on_a_connection(server: Server) -> None:
    slow = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
    many = [request(b"HEAD", b"")] * 500
    last = request(b"HEAD", b"Connection: close\r\n")

    assert heard(server, slow, *many, last).count(b"HTTP/1.1 200 OK") == 502


def test_each_request_has_its_line_in_the_log(server: Server) -> None:
    ids = [f"logged-{number}" for number in range(20)]
    for each in ids:
        ask(server, b"GET", f"X-Request-Id: {each}\r\n".encode())
    lines = [line for line in server.err.splitlines() if "request_id" in line]
    lines = [line for line in lines if re.search(r"logged-\d", line)]

    assert len(lines) == len(ids)
    for each, line in zip(ids, lines, strict=True):
        assert "page_served" in line
        assert each in line
        assert PAGE_PATH in line
        assert not line.startswith("{") or msgspec.json.decode(line)["status"] == 200
