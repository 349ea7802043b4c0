"""The processes: servers kept to one core, the load generator to another."""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from landyard import Kernel, Settings

TESTS = Path(__file__).parents[1]
LANDYARD = (sys.executable, "-c", "from landyard.cli.main import main; main()", "serve")
UVICORN = (sys.executable, "-m", "uvicorn", "--no-access-log", "--log-level", "warning")
_PATIENCE = 60  # seconds


class Cores:
    """Which core the servers and which the load generator are kept to."""

    def __init__(self) -> None:
        """Take the first two cores this process may use."""
        self.usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self.pinning = bool(self.usable) and shutil.which("taskset") is not None

    @property
    def server(self) -> list[str]:
        """What to put in front of a server's command."""
        return ["taskset", "-c", str(self.usable[0])] if self.pinning else []

    @property
    def load(self) -> list[str]:
        """What to put in front of the load generator's command."""
        return ["taskset", "-c", str(self.usable[-1])] if self.pinning else []

    def caveat(self) -> str:
        """Say why the figures are not what they could be; empty where nothing is wrong."""
        if not self.pinning:
            return "Processes cannot be kept to a core here: the figures will wander."
        if len(self.usable) == 1:
            return "There is one core only: servers and load generator share it."
        return ""


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment without settings of a Landyard of the operator's own."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LANDYARD_")}
    return {**clean, **more}


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(
    command: Sequence[str], folder: Path, env: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in `folder` for as long as the block lasts."""
    # taskset becomes the server, so the process id is the server's own.
    started = subprocess.Popen(command, cwd=folder, env=dict(env), stdout=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(15)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def landyard(cores: Cores, port: int) -> list[str]:
    """Return the command that serves Landyard, the way an operator does."""
    return [*cores.server, *LANDYARD, "--port", str(port)]


@contextmanager
def serving(
    cores: Cores, folder: Path, env: Mapping[str, str], path: str = "/healthz"
) -> Iterator[tuple[int, int]]:
    """Serve Landyard until something answers 200 at `path`; gives its port and process id."""
    port = free_port()
    with process(landyard(cores, port), folder, env) as server:
        await_answer(port, path, server)
        yield port, server.pid


def prepare(data: Path, world: object) -> None:
    """Make Landyard's database in a folder, and load a world into it."""
    data.mkdir(exist_ok=True)
    with closing(Kernel(Settings(data=data))) as kernel:
        kernel.schema.prepare(kernel.store)
        kernel.load(msgspec.json.encode(world))


def uvicorn(cores: Cores, app: str, port: int) -> list[str]:
    """Return the command that serves another application with the same server."""
    options = ("--loop", "uvloop", "--http", "httptools", "--no-server-header")
    where = ("--app-dir", str(TESTS), "--port", str(port))
    return [*cores.server, *UVICORN, *options, *where, app]


def await_answer(port: int, path: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until something answers 200; raises `TimeoutError` when that takes a minute."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.005)
        finally:
            connection.close()
    raise TimeoutError(f"nothing answers 200 at {path}")


def resident(pid: int) -> float | None:
    """Return the resident memory of a process in MiB, None where that cannot be known."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
