"""Runs servers in processes of their own, as operators do, for clients that only know HTTP."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import trustme
from kernel import processes
from msgspec import Struct

from landyard import Kernel, Settings
from landyard_sitekit.demo import DEMO

HOST = "127.0.0.1"


class Tls(Struct, frozen=True):
    """The certificate and key of a server, and the authority's certificate for clients."""

    certificate: Path
    key: Path
    authority: Path


def demo_world(**more: Any) -> dict[str, Any]:
    """The demo's world with additional lists, or with longer ones."""
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
    """Run a command and return its output; fails where the command fails."""
    run = processes.landyard(data, *words, LANDYARD_DATA=str(data))
    assert run.status == 0, run.err
    return run.out


@contextmanager
def serving(data: Path, *flags: str, **settings: str) -> Iterator[tuple[int, Path]]:
    """Run `landyard serve` on a free port; yield the port and the file with its output."""
    with processes.serving(data, *flags, LANDYARD_DATA=str(data), **settings) as server:
        yield server.port, data / f"{server.port}.out"


@contextmanager
def serving_https(data: Path, tls: Tls) -> Iterator[int]:
    """Run the same behind TLS, which some clients require; yield the port."""
    files = {
        "LANDYARD_TLS_CERTIFICATE": str(tls.certificate),
        "LANDYARD_TLS_KEY": str(tls.key),
    }
    with processes.serving(data, LANDYARD_DATA=str(data), **files) as server:
        yield server.port


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
