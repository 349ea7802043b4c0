"""The processes: servers kept to one core, the load generator to another."""

import http.client
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
from kernel.processes import free_port

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
        return self.of(1)

    def of(self, count: int) -> list[str]:
        """What to put in front of a server's command that has so many cores."""
        cores = ",".join(str(core) for core in self.usable[:count])
        return ["taskset", "-c", cores] if self.pinning else []

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
    """Return this process's environment without settings of a Landyard of the operator's own.

    Modules are compiled once, as everywhere, also where a machine's environment says otherwise.
    """
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LANDYARD_")}
    clean.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**clean, **more}


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


def landyard(cores: Cores, port: int, workers: int = 1) -> list[str]:
    """Return the command that serves Landyard, the way an operator does: each worker has a core."""
    where = ("--port", str(port), "--workers", str(workers))
    return [*cores.of(workers), *LANDYARD, *where]


@contextmanager
def serving(
    cores: Cores,
    folder: Path,
    env: Mapping[str, str],
    path: str = "/healthz",
    *,
    workers: int = 1,
) -> Iterator[tuple[int, int]]:
    """Serve Landyard, once it answers 200 at `path`; gives its port and its supervisor's id."""
    port = free_port()
    with process(landyard(cores, port, workers), folder, env) as server:
        await_answer(port, path, server)
        yield port, server.pid


def prepare(data: Path, world: object, url: str = "") -> None:
    """Make Landyard's database, in a folder or at a `url`, and load a world into it."""
    data.mkdir(exist_ok=True)
    with closing(Kernel(Settings(data=data, database_url=url))) as kernel:
        kernel.schema.prepare(kernel.store)
        kernel.load(msgspec.json.encode(world))


def uvicorn(cores: Cores, app: str, port: int, workers: int = 1) -> list[str]:
    """Return the command that serves another application with the same server."""
    options = ("--loop", "uvloop", "--http", "httptools", "--no-server-header")
    where = ("--app-dir", str(TESTS), "--port", str(port), "--workers", str(workers))
    return [*cores.of(workers), *UVICORN, *options, *where, app]


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


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB, 0 where that cannot be known."""
    return _memory(pid, "VmRSS")


def highest(pid: int) -> float:
    """Return the most resident memory that a process has had, in MiB; 0 where it is not known."""
    return _memory(pid, "VmHWM")


def children(pid: int) -> list[int]:
    """List the processes that a process has started: a supervisor's workers."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def processor(pid: int) -> float:
    """Return the seconds of processor time that a process and those it started have used."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    ticks = sum(map(int, told[11:15]))  # its own, and those of its children that have ended
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor(child) for child in children(pid))


def _memory(pid: int, name: str) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) / 1024
    return 0.0
