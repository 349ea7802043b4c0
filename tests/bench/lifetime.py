"""The start time of a service, and the memory of its worker."""

import statistics
import time
from pathlib import Path

from bench import servers
from bench.contest import Bench
from bench.figures import Figure, figure
from bench.world import PAGE_PATH
from kernel.processes import free_port

START_BAR = 0.6  # seconds
FIRST_BAR, HIGHEST_BAR = 75.0, 115.0  # MiB
_TIMES = 5


def start(bench: Bench) -> list[Figure]:
    """Measure the time until `landyard serve` and the twin answer, and the worker's memory then."""
    ours: list[float] = []
    theirs: list[float] = []
    used: list[float] = []
    theirs_used: list[float] = []
    sizes: list[float] = []
    for number in range(_TIMES):
        began = time.perf_counter()
        with servers.serving(bench.cores, bench.folder, bench.env) as (_, pid):
            ours.append(time.perf_counter() - began)
            used.append(servers.processor(pid))
            sizes += [servers.resident(worker) for worker in servers.children(pid)]
        took, spent = _twin(bench, number)
        theirs.append(took)
        theirs_used.append(spent)
    own, twin = statistics.median(used), statistics.median(theirs_used)
    note = (
        f"FastAPI + SQLModel {statistics.median(theirs):.2f} s;"
        f" {own:.2f} s, {twin:.2f} s: {twin / own:.2f}"
    )
    return [
        figure("start", "serve to first answer", ours, "s", START_BAR, at_most=True, note=note),
        figure("memory", "worker at its first answer", sizes, "MiB", FIRST_BAR, at_most=True),
    ]


def highest(pid: int) -> Figure:
    """Measure the memory of a service's workers after the contest."""
    sizes = [servers.highest(worker) for worker in servers.children(pid)]
    return figure(
        "highest", "worker at its highest, contest over", sizes, "MiB", HIGHEST_BAR, at_most=True
    )


def _twin(bench: Bench, number: int) -> tuple[float, float]:
    """Start the twin; return the seconds until it answers, and its processor seconds."""
    recorded, database = bench.folder / "recorded.json", bench.folder / "started.db"
    if not recorded.exists():
        manifest = '{"result": {"manifest": {}}}'  # it starts with the recorded manifest of ours
        recorded.write_text(f'{{"methods": {{"result": []}}, "getcontent": {manifest}}}')
    port = free_port()
    command = servers.uvicorn(bench.cores, "bench.twin:app", port)
    own = {"BENCH_RECORDED": str(recorded), "BENCH_DATABASE": f"sqlite:///{database}"}
    if not number:  # its tables are made at its first start
        _answered(bench, command, own, port)
    return _answered(bench, command, {**own, "BENCH_FILLED": "1"}, port)


def _answered(
    bench: Bench, command: list[str], own: dict[str, str], port: int
) -> tuple[float, float]:
    began = time.perf_counter()
    with servers.process(command, Path(bench.folder), {**bench.env, **own}) as server:
        servers.await_answer(port, PAGE_PATH, server)
        return time.perf_counter() - began, servers.processor(server.pid)
