"""Two workers on two cores compared with one on one core, and the same for the raw limit."""

import shutil
from contextlib import ExitStack
from pathlib import Path

import msgspec
from bench import answers, servers
from bench.contest import Bench
from bench.figures import Figure, figure
from bench.load import blast
from bench.scenarios import CONTENT, UPDATENODES, Scenario
from bench.servers import serving
from kernel.processes import free_port

READ_BAR, WRITE_BAR = 1.4, 1.0
_COUNTS = (1, 2)

Ports = dict[int, int]
"""Starts a server with this many workers; yields its port."""


def workers(bench: Bench) -> list[Figure]:
    """Measure the gain of the second worker, in turn; the load generator shares the two cores."""
    if len(bench.cores.usable) < 2:
        return []
    with ExitStack() as stack:
        ours = {
            count: stack.enter_context(
                serving(bench.cores, bench.folder, _own(bench, count), workers=count)
            )[0]
            for count in _COUNTS
        }
        limits = _limits(bench, stack, ours[1])
        read, raw = _ratios(bench, CONTENT, ours, limits)
        (written,) = _ratios(bench, UPDATENODES, ours)
    what = "two workers, of one"
    return [
        figure(f"workers/{CONTENT.name}", f"{CONTENT.title}, {what}", read, bar=READ_BAR),
        figure("workers/limit", f"{CONTENT.title}, two raw limits, of one", raw),
        figure(
            f"workers/{UPDATENODES.name}", f"{UPDATENODES.title}, {what}", written, bar=WRITE_BAR
        ),
    ]


def _ratios(bench: Bench, scenario: Scenario, *peers: Ports) -> list[list[float]]:
    """Return for each round and each peer the rate of two workers divided by that of one."""
    found: list[list[float]] = [[] for _ in peers]
    for number in range(bench.rounds + 1):
        for peer, ratios in zip(peers, found, strict=True):
            one, two = (
                blast(bench.cores.load, bench.folder, scenario, peer[count], bench.seconds)
                for count in _COUNTS
            )
            if number:  # the first round warms up
                ratios.append(two.per_second / one.per_second)
    return found


def _limits(bench: Bench, stack: ExitStack, ours: int) -> Ports:
    """Start the raw limit with one process and with two, on the same data."""
    recorded = bench.folder / "recorded.json"
    recorded.write_bytes(msgspec.json.encode(answers.record(ours)))
    env = {
        **bench.env,
        "BENCH_RECORDED": str(recorded),
        "BENCH_DATABASE": f"sqlite:///{bench.folder / 'limit.db'}",
        "BENCH_FILES": str(bench.folder),
    }
    ports: Ports = {}
    for count in _COUNTS:
        ports[count] = free_port()
        command = servers.uvicorn(bench.cores, "bench.limit:app", ports[count], count)
        filled = {"BENCH_FILLED": "yes" if count > 1 else ""}
        server = stack.enter_context(servers.process(command, bench.folder, {**env, **filled}))
        servers.await_answer(ports[count], "/", server)
    return ports


def _own(bench: Bench, count: int) -> dict[str, str]:
    """A database of its own, so that the services do not wait for each other's writes.

    Each service assumes that it is alone and keeps its workers to a core each. Otherwise the
    workers of the waiting service would hold the cores, and a second worker would change cores.
    """
    data = bench.folder / f"workers-{count}"
    shutil.copytree(Path(bench.env["LANDYARD_DATA"]), data)
    return {**bench.env, "LANDYARD_DATA": str(data), "TMPDIR": str(data)}
