"""The start time of a service, and the memory of all its processes."""

import statistics
import time
from pathlib import Path

from bench import servers
from bench.contest import Bench
from bench.figures import PEERS, Figure, figure
from bench.world import PAGE_PATH
from kernel.processes import free_port

START_BAR = 1.25  # times the twin's
FIRST_BAR = 140.0  # MiB of all processes
_TIMES = 5


def start(bench: Bench) -> list[Figure]:
    """Measure the time until Landyard and the twin answer, and Landyard's memory then."""
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
            sizes.append(servers.shared_out(pid))
        took, spent = _twin(bench, number)
        theirs.append(took)
        theirs_used.append(spent)
    own, twin = statistics.median(used), statistics.median(theirs_used)
    note = (
        f"{statistics.median(ours):.2f} s, {statistics.median(theirs):.2f} s;"
        f" {own:.2f} s, {twin:.2f} s: {twin / own:.2f}"
    )
    return [
        figure(
            "start",
            f"serve to first answer, of {PEERS['twin']}",
            [one / other for one, other in zip(ours, theirs, strict=True)],
            bar=START_BAR,
            at_most=True,
            note=note,
        ),
        figure("memory", "the service at its first answer", sizes, "MiB", FIRST_BAR, at_most=True),
    ]


def after(pid: int) -> Figure:
    """Measure the memory of a service after the contest."""
    return figure("after", "the service, contest over", [servers.shared_out(pid)], "MiB")


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
