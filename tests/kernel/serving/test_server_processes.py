"""Server processes: running calls, bodies that are never sent, several workers."""

import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kernel.processes import PATIENCE, Server, landyard, serving
from kernel.supervised import until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with serving(
        folder, "--demo", "--workers", "2", LANDYARD_LOG_LEVEL="debug", LANDYARD_LOG_FORMAT="json"
    ) as server:
        yield server


def test_two_workers_serve(server: Server) -> None:
    answers = {server.ask("POST", f"{server.webhook}methods", {})[0] for _ in range(40)}

    assert answers == {200}
    until(lambda: len(_workers(server)) == 2)


def _workers(server: Server) -> set[int]:
    lines = [line for line in server.err.splitlines() if "worker_st" in line]
    return {msgspec.json.decode(line)["pid"] for line in lines}


def test_a_page_and_a_call_and_nothing_are_served(server: Server) -> None:
    page, call, nothing = (
        server.ask("GET", "/demo/"),
        server.ask("GET", f"{server.webhook}landing.block.getlist.json?lid=10"),
        server.ask("GET", "/nowhere/"),
    )

    assert [page[0], call[0], nothing[0]] == [200, 200, 404]
    assert all("x-request-id" in answer[1] for answer in (page, call, nothing))
    assert "server" not in page[1]


def speak(server: Server, *lines: str, body: bytes = b"") -> bytes:
    """Send the bytes of a request, and read until the server closes or has answered."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


@pytest.mark.rule("C13")
def test_C13_100_MB_are_refused_before_they_are_sent(server: Server) -> None:
    lines = ("POST /rest/methods HTTP/1.1", "Host: x", f"Content-Length: {100 * 2**20}")
    answer = speak(server, *lines)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"INVALID_REQUEST"' in answer


@pytest.mark.rule("C13")
def test_C13_100_MB_in_chunks_are_refused_on_the_way(server: Server) -> None:
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    received: list[bytes] = []
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        head = "POST /rest/methods HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        reading = threading.Thread(target=lambda: received.append(connection.recv(65536)))
        reading.start()
        sent = 0
        try:
            while sent < 100 and not received:
                connection.sendall(chunk)
                sent += 1
        except OSError:
            pass  # the server has closed the connection
        reading.join(PATIENCE)

    assert received[0].startswith(b"HTTP/1.1 413 ")
    assert sent < 100


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    "target",
    ["/rest/%ff%00%fe/x", "/rest/a?b=%ff", "/rest/" + "a/" * 2000, "/rest/?" + "&" * 30000],
)
def test_C13_odd_targets_get_an_envelope(server: Server, target: str) -> None:
    status, headers, body = server.ask("POST", target)

    assert 400 <= status < 500
    assert headers["content-type"] == "application/json; charset=utf-8"
    assert set(msgspec.json.decode(body)) == {"error", "error_description"}


def test_HEAD_and_OPTIONS_of_a_call(server: Server) -> None:
    assert server.ask("HEAD", f"{server.webhook}methods")[::2] == (400, b"")
    assert server.ask("OPTIONS", f"{server.webhook}methods")[0] == 400


def test_a_port_in_use_is_a_failure(server: Server, tmp_path: Path) -> None:
    run = landyard(tmp_path, "serve", "--port", str(server.port))

    assert run.status != 0
    assert "Traceback" not in run.err


RUNNER = """
import sys
from pathlib import Path

import uvicorn
from landyard import Call, Kernel, MethodGroup, Plugin, Settings, hookimpl, load_settings
from landyard.testing import WEBHOOK
from landyard.web import create_app
from msgspec import Struct

group = MethodGroup()


class Nothing(Struct):
    pass


@group.method("slow.wait", writes=True)
def wait(call: Call, params: Nothing) -> str:
    \"\"\"Wait for somebody to write into the pipe.\"\"\"
    call.session.connection()
    return Path("pipe").read_text()


class Slow:
    @hookimpl
    def register_methods(self):
        return group


kernel = Kernel(load_settings(), [Plugin("slow", Slow())])
kernel.schema.prepare(kernel.store)
kernel.load(
    b'{"users": [{"id": 1}], "webhooks": [{"user": 1, "code": "%s"}]}' % WEBHOOK.encode()
)
app, port = create_app(kernel), int(sys.argv[2])
uvicorn.run(app, port=port, log_config=None, timeout_graceful_shutdown=20)
"""


def pipe_is_read(pipe: Path) -> int | None:
    """Open the pipe for writing; None while no process reads it."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def test_a_running_call_finishes_before_the_server_stops(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "runner.py").write_text(RUNNER)
    answers: list[tuple[int, Any]] = []

    def call(server: Server) -> None:
        status, _, body = server.ask("POST", "/rest/1/test-webhook-0123456789/slow.wait", {})
        answers.append((status, msgspec.json.decode(body).get("result")))

    with serving(tmp_path, program=[sys.executable, "runner.py"]) as server:
        calling = threading.Thread(target=call, args=(server,))
        calling.start()
        writer = until(lambda: pipe_is_read(tmp_path / "pipe"))
        server.process.terminate()
        until(lambda: not server.answers())
        assert server.process.poll() is None
        os.write(writer, b"late")
        os.close(writer)
        calling.join(PATIENCE)
        server.process.wait(PATIENCE)

    assert answers == [(200, "late")]
    assert "Traceback" not in server.err
