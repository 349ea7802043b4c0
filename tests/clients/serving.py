"""Servers in processes of their own, as operators run them, for clients that know only HTTP."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import trustme
from msgspec import Struct

from landyard import Kernel, Settings
from landyard_landing.demo import DEMO

LANDYARD = [sys.executable, "-m", "landyard.cli"]
HOST = "127.0.0.1"
# A client that keeps its connection open says no goodbye in TLS: do not wait for one.
_HTTPS = """
import sys, uvicorn
from landyard import Kernel, load_settings
from landyard.web.edge import web_app

host, port, certificate, key = sys.argv[1:]
kernel = Kernel(load_settings())
kernel.prepare()
files = {"ssl_certfile": certificate, "ssl_keyfile": key}
app = web_app(kernel)
uvicorn.run(app, host=host, port=int(port), access_log=False, timeout_graceful_shutdown=1, **files)
"""
WAIT = 30.0


class Tls(Struct, frozen=True):
    """Files that a server shows itself with, and the one by which a client believes it."""

    certificate: Path
    key: Path
    authority: Path


def demo_world(**more: Any) -> dict[str, Any]:
    """The demo's world with further lists, or with longer ones."""
    world = msgspec.json.decode(DEMO.world, type=dict[str, Any])
    return {**world, **{name: [*world.get(name, []), *rows] for name, rows in more.items()}}


def load(data: Path, world: Mapping[str, Any]) -> None:
    """Load a world into a data directory, which is prepared when it is new."""
    kernel = Kernel(Settings(data=data))
    try:
        kernel.schema.prepare(kernel.store)
        kernel.load(msgspec.json.encode(world))
    finally:
        kernel.close()


def landyard(data: Path, *words: str) -> str:
    """Run a word of the command line and return what it prints; fails where it fails."""
    run = subprocess.run(
        [*LANDYARD, *words], cwd=data, env=_environment(data), capture_output=True, timeout=WAIT,
        check=False, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


@contextmanager
def serving(data: Path, *flags: str) -> Iterator[tuple[int, Path]]:
    """`landyard serve` on a free port; gives the port and the file with what it prints."""
    port = _free_port()
    command = [*LANDYARD, "serve", "--port", str(port), *flags]
    with _running(command, data, port) as printed:
        yield port, printed


@contextmanager
def serving_https(data: Path, tls: Tls) -> Iterator[int]:
    """The same service behind TLS, which the official client insists on; gives the port."""
    port = _free_port()
    files = [str(tls.certificate), str(tls.key)]
    command = [sys.executable, "-c", _HTTPS, HOST, str(port), *files]
    with _running(command, data, port, LANDYARD_PUBLIC_BASE=f"https://{HOST}:{port}"):
        yield port


def make_tls(folder: Path) -> Tls:
    """Make a certificate for this host, and the authority that signed it."""
    tls = Tls(folder / "server.pem", folder / "server.key", folder / "authority.pem")
    authority = trustme.CA()
    server = authority.issue_cert(HOST)
    authority.cert_pem.write_to_path(str(tls.authority))
    server.private_key_pem.write_to_path(str(tls.key))
    for part in server.cert_chain_pems:
        part.write_to_path(str(tls.certificate), append=True)
    return tls


def wait_until(happened: Callable[[], bool], failed: Callable[[], str]) -> None:
    """Look again and again; fails the test with what `failed` tells after a bounded time."""
    deadline = time.monotonic() + WAIT
    while not happened():
        assert time.monotonic() < deadline, failed()
        time.sleep(0.02)


@contextmanager
def _running(command: Sequence[str], data: Path, port: int, **variables: str) -> Iterator[Path]:
    printed = data / f"server-{port}.log"
    with printed.open("wb") as file:
        server = subprocess.Popen(
            command, cwd=data, env={**_environment(data), **variables}, stdout=file,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        wait_until(lambda: server.poll() is not None or _listens(port), printed.read_text)
        assert server.poll() is None, printed.read_text()
        yield printed
    finally:
        server.terminate()
        try:
            server.wait(WAIT)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _environment(data: Path) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LANDYARD_")}
    return {**ours, "LANDYARD_DATA": str(data), "PYTHONUNBUFFERED": "1"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True
