"""The processes of the bench: servers on one core, the load generator on another."""

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
from bench.world import world
from kernel.processes import free_port

from landyard import Kernel, Settings

TESTS = Path(__file__).parents[1]
LANDYARD = ("-c", "from landyard.cli.main import main; main()")
UVICORN = (sys.executable, "-m", "uvicorn", "--no-access-log", "--log-level", "warning")
_PATIENCE = 60  # seconds


class Cores:
    """The cores of the servers and of the load generator."""

    def __init__(self) -> None:
        """Take the first two cores this process may use."""
        self.usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self.pinning = bool(self.usable) and shutil.which("taskset") is not None

    @property
    def server(self) -> list[str]:
        """The command prefix that keeps a server to its core."""
        return self.of(1)

    def of(self, count: int) -> list[str]:
        """The command prefix that keeps a server to this many cores."""
        cores = ",".join(str(core) for core in self.usable[:count])
        return ["taskset", "-c", cores] if self.pinning else []

    @property
    def load(self) -> list[str]:
        """The command prefix that keeps the load generator to its core."""
        return ["taskset", "-c", str(self.usable[-1])] if self.pinning else []

    def caveat(self) -> str:
        """Describe why the figures are unreliable on this machine; empty where they are not."""
        if not self.pinning:
            return "Processes cannot be kept to a core here: the figures will wander."
        if len(self.usable) == 1:
            return "There is one core only: servers and load generator share it."
        return ""


_ALLOCATOR = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**24),
}


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment without settings of an operator's Landyard.

    Modules are compiled once, as in every installation, even where the environment says otherwise.
    Threads share one heap, as docs/deploy has it: those of peers, too.
    """
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LANDYARD_")}
    clean.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**clean, **_ALLOCATOR, **more}


@contextmanager
def process(
    command: Sequence[str], folder: Path, env: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in `folder` for the length of the block; its log goes to a file there."""
    with (folder / "servers.log").open("ab") as log:
        # taskset becomes the server, so the process id is the server's own.
        started = subprocess.Popen(
            command, cwd=folder, env=dict(env), stdout=subprocess.DEVNULL, stderr=log
        )
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(15)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def landyard(cores: Cores, port: int, workers: int = 1, *, of: Path | None = None) -> list[str]:
    """Return the command that serves Landyard as an operator does: each worker has a core.

    `of` is the checkout of another Landyard, with its environment.
    """
    where = ("--port", str(port), "--workers", str(workers))
    return [*cores.of(workers), _python(of), *LANDYARD, "serve", *where]


def _python(checkout: Path | None) -> str:
    return str(checkout / ".venv/bin/python") if checkout else sys.executable


@contextmanager
def serving(
    cores: Cores,
    folder: Path,
    env: Mapping[str, str],
    path: str = "/healthz",
    *,
    workers: int = 1,
) -> Iterator[tuple[int, int]]:
    """Serve Landyard, and wait until `path` answers 200; yield its port and its supervisor's id."""
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


def prepare_older(checkout: Path, data: Path, env: Mapping[str, str]) -> Path:
    """Have an older Landyard load the bench's world into a folder; return the folder."""
    loaded = data.with_suffix(".json")
    loaded.write_bytes(msgspec.json.encode(world()))
    command = (_python(checkout), *LANDYARD, "load", str(loaded))
    subprocess.run(
        command, check=True, env={**env, "LANDYARD_DATA": str(data)}, stdout=subprocess.DEVNULL
    )
    return data


def uvicorn(cores: Cores, app: str, port: int, workers: int = 1) -> list[str]:
    """Return the command that serves another application with the same server."""
    options = ("--loop", "uvloop", "--http", "httptools", "--no-server-header")
    where = ("--app-dir", str(TESTS), "--port", str(port), "--workers", str(workers))
    return [*cores.of(workers), *UVICORN, *options, *where, app]


def await_answer(port: int, path: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until the address answers 200; raises `TimeoutError` when that takes a minute."""
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


def shared_out(pid: int) -> float:
    """Return the memory of a process and its children in MiB; 0 where it is unknown.

    A page that several processes share counts for each of them in part, so once in the sum.
    """
    return _memory(pid, "smaps_rollup", "Pss") + sum(map(shared_out, children(pid)))


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB, 0 where it is unknown."""
    return _memory(pid, "status", "VmRSS")


def children(pid: int) -> list[int]:
    """List the child processes of a process, such as a supervisor's workers."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def processor(pid: int) -> float:
    """Return the processor seconds of a process and of its children."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    ticks = sum(map(int, told[11:15]))  # its own, and those of its ended children
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor(child) for child in children(pid))


def _memory(pid: int, file: str, name: str) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) / 1024
    return 0.0
