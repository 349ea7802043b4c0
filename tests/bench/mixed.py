"""The latency of `methods` while other callers write and upload a large picture."""

import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.answers import ask, connect
from bench.contest import Bench
from bench.figures import Figure, figure
from bench.load import CONNECTIONS
from bench.scenarios import METHODS, UPDATENODES, UPLOADFILE, Scenario, script
from bench.sending import post, send_all
from bench.servers import serving
from bench.uploading import photograph, upload_of
from bench.world import BLOCKS

MIXED_BAR = 5.0  # times the idle p99
_PAUSE = 0.002  # seconds between two calls, because this measures latency and not throughput
_WATCHED = 4.0  # seconds


def mixed(bench: Bench) -> list[Figure]:
    """Measure the p99 of `methods`, idle and under load, in turn."""
    ratios: list[float] = []
    idle: list[float] = []
    loaded: list[float] = []
    large = Scenario("large", "large", UPLOADFILE.path, upload_of(photograph(), BLOCKS[3]))
    with serving(bench.cores, bench.folder, bench.env) as (port, _):
        # starts a decoder, and proves that the upload is accepted
        send_all(port, [post(large.path, large.params)])
        _p99(port, 1.0)
        for _ in range(bench.rounds):
            idle.append(_p99(port, _WATCHED))
            with _load(bench, port, UPDATENODES, CONNECTIONS), _load(bench, port, large, 1):
                time.sleep(0.5)
                loaded.append(_p99(port, _WATCHED))
            ratios.append(loaded[-1] / idle[-1])
    note = f"{statistics.median(loaded):.1f} ms, idle {statistics.median(idle):.1f} ms"
    return [
        figure(
            "mixed",
            "p99 of methods, 16 writers and an upload, of idle",
            ratios,
            bar=MIXED_BAR,
            at_most=True,
            note=note,
        )
    ]


@contextmanager
def _load(bench: Bench, port: int, scenario: Scenario, connections: int) -> Iterator[None]:
    lua = bench.folder / f"mixed-{scenario.name}.lua"
    lua.write_text(script(scenario, {}))
    options = ("-t1", f"-c{connections}", "-d60s", "--timeout", "30s", "-s", str(lua))
    command = [*bench.cores.load, "wrk", *options, f"http://127.0.0.1:{port}{scenario.path}"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        running.kill()
        running.wait()


def _p99(port: int, seconds: float) -> float:
    """Call `methods` repeatedly for this long; return the p99 in milliseconds."""
    took: list[float] = []
    connection = connect(port)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        ask(connection, METHODS)
        took.append((time.perf_counter() - began) * 1000)
        time.sleep(_PAUSE)
    connection.close()
    return statistics.quantiles(took, n=100)[98]
