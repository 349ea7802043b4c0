"""Servers in processes of their own, as operators run them, for clients that know only HTTP."""

import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import trustme
from kernel import processes
from kernel.forked import start
from kernel.supervised import until
from msgspec import Struct

from landyard import Kernel, Settings
from landyard_landing.demo import DEMO

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
    run = processes.landyard(data, *words, LANDYARD_DATA=str(data))
    assert run.status == 0, run.err
    return run.out


@contextmanager
def serving(data: Path, *flags: str) -> Iterator[tuple[int, Path]]:
    """`landyard serve` on a free port; gives the port and the file with what it prints."""
    with processes.serving(data, *flags, LANDYARD_DATA=str(data)) as server:
        yield server.port, data / f"{server.port}.out"


@contextmanager
def serving_https(data: Path, tls: Tls) -> Iterator[int]:
    """The same service behind TLS, which the official client insists on; gives the port."""
    port = processes.free_port()
    script = data / "https.py"
    script.write_text(_HTTPS)
    words = [sys.executable, str(script), HOST, str(port), str(tls.certificate), str(tls.key)]
    base = f"https://{HOST}:{port}"
    variables = processes.environment(data, LANDYARD_DATA=str(data), LANDYARD_PUBLIC_BASE=base)
    log = data / "https.log"
    with Path(os.devnull).open("rb") as nothing, log.open("wb") as printed:
        server = start(words, data, variables, nothing, printed, printed)
    try:
        until(lambda: server.poll() is not None or _listens(port), log.read_text)
        assert server.poll() is None, log.read_text()
        yield port
    finally:
        server.terminate()
        server.wait(processes.PATIENCE)


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


def _listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True
