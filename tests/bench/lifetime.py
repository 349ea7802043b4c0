"""How quickly Landyard starts, and what one worker's memory comes to."""

import http.client
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.scenarios import GETLIST, METHODS, PAGE_VIEW, UPDATENODES, ask
from bench.servers import Cores, resident, serving
from bench.world import CODE, USER

TIMES = 5
STAGES = (2_000, 5_000, 10_000)
CLIENTS = 4

_FIRST_ANSWER = f"""
import landyard
from landyard.logs import configure
from landyard.core.ports import NO_DEADLINE
from landyard.web.wire import Incoming, answer, split
configure("warning")
kernel = landyard.Kernel(landyard.load_settings())
incoming = Incoming("POST", "/{USER}/{CODE}/methods.json", body=b"{{}}")
target = split(incoming.path)
answer = answer(kernel.dispatch, incoming, target, kernel.usual_bounds, NO_DEADLINE)
assert answer.status == 200, answer
print(answer.status, flush=True)
"""


def import_to_answer(cores: Cores, folder: Path, env: Mapping[str, str]) -> float:
    """Return the seconds from the start of a process to its first answered call, a median."""
    return statistics.median(_first_answer(cores, folder, env) for _ in range(TIMES))


def serve_to_answer(cores: Cores, folder: Path, env: Mapping[str, str]) -> float:
    """Return the seconds from `landyard serve` to its first 200, a median."""
    return statistics.median(_first_200(cores, folder, env) for _ in range(TIMES))


def memory(cores: Cores, folder: Path, env: Mapping[str, str]) -> dict[int, float]:
    """Return a worker's resident MiB after so and so many mixed calls, empty where unknown."""
    sizes: dict[int, float] = {}
    with serving(cores, folder, env) as (port, pid):
        sent = 0
        for stage in STAGES:
            with ThreadPoolExecutor(CLIENTS) as clients:
                share = (stage - sent) // CLIENTS
                for done in [clients.submit(_mixed_calls, port, share) for _ in range(CLIENTS)]:
                    done.result()
            sent = stage
            size = resident(pid)
            if size is not None:
                sizes[stage] = size
    return sizes


def _first_answer(cores: Cores, folder: Path, env: Mapping[str, str]) -> float:
    command = [*cores.server, sys.executable, "-c", _FIRST_ANSWER]
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, env=dict(env), stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        took = time.perf_counter() - started
    if line.strip() != b"200":
        raise RuntimeError("the first call was not answered")
    return took


def _first_200(cores: Cores, folder: Path, env: Mapping[str, str]) -> float:
    started = time.perf_counter()
    with serving(cores, folder, env):
        return time.perf_counter() - started


def _mixed_calls(port: int, count: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    mix = (METHODS, GETLIST, UPDATENODES, PAGE_VIEW)
    for number in range(count):
        ask(connection, mix[number % len(mix)])
    connection.close()
