"""Runs `landyard` processes for tests on a free port, and always stops them."""

import http.client
import itertools
import os
import re
import secrets
import signal
import socket
import ssl
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import msgspec
from kernel.forked import Started, start
from msgspec import Struct

PATIENCE = 60.0  # seconds; a machine may be busy, and no test waits longer than needed


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment without other settings, with a data directory of the test's own."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LANDYARD_")}
    return {**kept, "LANDYARD_DATA": str(folder / "data"), **more}


def landyard(folder: Path, *words: str, given: bytes = b"", **more: str) -> "Finished":
    """Run a command of the command line to its end."""
    return run([*command(), *words], folder, given, **more)


def run_code(code: str, folder: Path, **more: str) -> "Finished":
    """Run a program in a process of its own, which may have imported the kernel before."""
    script = folder / "program.py"
    script.write_text(code)
    return run([sys.executable, str(script)], folder, b"", **more)


def run(words: Sequence[str], folder: Path, given: bytes, **more: str) -> "Finished":
    """Run a program to its end."""
    with TemporaryFile() as sent, TemporaryFile() as out, TemporaryFile() as err:
        sent.write(given)
        sent.seek(0)
        process = start(words, folder, environment(folder, **more), sent, out, err)
        status = process.wait(PATIENCE)
        said = [os.pread(file.fileno(), 1 << 24, 0).decode() for file in (out, err)]
        return Finished(status, *said)


def command() -> list[str]:
    """The program as it is installed beside the interpreter."""
    return [str(Path(sys.executable).with_name("landyard"))]


class Finished(Struct, frozen=True):
    """The outcome of a process: exit status and output."""

    status: int
    out: str
    err: str


def free_port() -> int:
    """Find a port outside the range for clients: a client calling an unused port may reach
    itself.
    """
    return next(filter(is_free, (10_000 + secrets.randbelow(20_000) for _ in itertools.count())))


def is_free(port: int) -> bool:
    """Tell whether the port is free; a killed process may hold it until it is dead."""
    with suppress(OSError), socket.create_server(("127.0.0.1", port)):
        return True
    return False


class Server:
    """A process that serves, with its output in files."""

    def __init__(self, process: Started, port: int, folder: Path, *, secure: bool = False) -> None:
        self.process = process
        self.port = port
        self.folder = folder
        self.secure = secure

    @property
    def out(self) -> str:
        return (self.folder / f"{self.port}.out").read_text()

    @property
    def err(self) -> str:
        return (self.folder / f"{self.port}.err").read_text()

    @property
    def webhook(self) -> str:
        """The path of the demo's webhook, from the banner."""
        found = re.search(r"Webhook +http://[^/]+(/rest/\d+/[^/]+/)", self.out)
        assert found is not None, self.out
        return found[1]

    def ask(
        self, verb: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        connection = self._connect()
        try:
            sent = None if body is None else msgspec.json.encode(body)
            connection.request(verb, path, sent, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def stop(self) -> int:
        """Ask it to stop, and wait until it has."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def answers(self) -> bool:
        try:
            return self.ask("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def _connect(self) -> http.client.HTTPConnection:
        if not self.secure:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        # verifying the certificate is the client's choice
        anybody = ssl._create_unverified_context()
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=PATIENCE, context=anybody
        )


@contextmanager
def serving(
    folder: Path, *flags: str, program: Sequence[str] | None = None, **more: str
) -> Iterator[Server]:
    """Serve on a free port; `program` replaces `landyard serve`."""
    words = [*(program or [*command(), "serve"]), *flags]
    with serving_with_log(None, folder, words, more) as server:
        yield server


@contextmanager
def serving_with_log(
    log: IO[bytes] | None, folder: Path, words: Sequence[str], more: Mapping[str, str]
) -> Iterator[Server]:
    """Serve with this standard error, or with one in a file."""
    port = free_port()
    words = [*words, "--port", str(port)]
    with (folder / f"{port}.out").open("ab") as out, (folder / f"{port}.err").open("ab") as err:
        with Path(os.devnull).open("rb") as nothing:
            process = start(words, folder, environment(folder, **more), nothing, out, log or err)
        server = Server(process, port, folder, secure="LANDYARD_TLS_CERTIFICATE" in more)
        try:
            until = time.monotonic() + PATIENCE
            while not server.answers():
                assert process.poll() is None, server.err
                assert time.monotonic() < until, server.err
                time.sleep(0.02)  # a bounded wait for the process to come up
            yield server
        finally:
            if process.poll() is None:
                server.stop()
