"""The parts of a call's time: a profile of dispatch in this process, and the cost that HTTP
adds.
"""

import cProfile
import pstats
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.answers import require
from bench.contest import Bench, Contest, contest, measure
from bench.figures import Figure, figure
from bench.scenarios import GETLIST, LARGE_EDIT, METHODS, Scenario
from bench.world import CODE, USER

from landyard import Kernel, Request, Settings, Success
from landyard.core.calls import Credential

_CALLS = 300
_PARTS = (
    ("commit", ("'commit' of 'sqlite3",)),
    ("statements, in SQLite", ("sqlite3",)),
    ("encode", ("msgspec",)),
    ("HTML", ("turbohtml", "nh3", "/html/")),
    ("SQLAlchemy", ("/sqlalchemy/",)),
    ("storage", ("/landyard/storage/",)),
    ("dispatch", ("/landyard/",)),
)
"""The parts, by the name or file of their functions; other functions count to the method itself."""


def costs(bench: Bench) -> list[Figure]:
    """Measure in microseconds the parts of a call, on an otherwise idle core."""
    figures: list[Figure] = []
    with contest(bench) as running:
        for scenario in (GETLIST, LARGE_EDIT):
            whole = _whole(bench, running, "landyard", scenario)
            server = _whole(bench, running, "limit", METHODS)
            inside = dict(_inside(bench, scenario))
            inside["HTTP server"] = server
            # The rest: reading and writing the call, and the way to a thread and back.
            inside["edge and hand-over"] = max(0.0, whole - sum(inside.values()))
            figures += [
                figure(f"cost/{scenario.name}/{part}", f"{scenario.title}: {part}", [took], "us")
                for part, took in inside.items()
            ]
    waits = f"{LARGE_EDIT.title}: waits for the disk, one by one"
    return [*figures, figure("disk", waits, [_waiting(bench, LARGE_EDIT)], "us")]


def _whole(bench: Bench, running: Contest, server: str, scenario: Scenario) -> float:
    """Return the processor time of a call over HTTP."""
    alone = {"landyard": running.ports[server]}
    row = measure(bench, alone, scenario, {"landyard": running.pids[server]})
    return row.cost("landyard")


def _inside(bench: Bench, scenario: Scenario) -> Iterator[tuple[str, float]]:
    """Profile dispatch; the profiler's own cost is subtracted from the functions in Python."""
    with _kernel(bench) as kernel:
        requests = [_request(scenario, number) for number in range(_CALLS)]
        _call(kernel, requests)
        alone = min(_call(kernel, requests)[1] for _ in range(3))
        profile = cProfile.Profile(time.thread_time)
        profile.enable()
        _call(kernel, requests)
        profile.disable()
    spent: dict[str, float] = {}
    python: dict[str, float] = {}
    for (file, _, name), found in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        part = _part(f"{file}:{name}")
        of = spent if file == "~" and part != "the method" else python
        of[part] = of.get(part, 0.0) + found[2]
    scale = max(0.0, alone - sum(spent.values())) / sum(python.values())
    for part in dict.fromkeys((*spent, *python)):
        seconds = spent.get(part, 0.0) + scale * python.get(part, 0.0)
        yield part, seconds / _CALLS * 1e6


def _waiting(bench: Bench, scenario: Scenario) -> float:
    """Return the time of a call beyond its processor time, with calls one after another."""
    with _kernel(bench) as kernel:
        requests = [_request(scenario, number) for number in range(_CALLS)]
        waited = [wall - used for wall, used in (_call(kernel, requests) for _ in range(3))]
    return min(waited) / _CALLS * 1e6


@contextmanager
def _kernel(bench: Bench) -> Iterator[Kernel]:
    with closing(Kernel(Settings(data=Path(bench.env["LANDYARD_DATA"])))) as kernel:
        yield kernel


def _part(name: str) -> str:
    for part, known in _PARTS:
        if any(each in name for each in known):
            return part
    return "the method"


def edit(scenario: Scenario, number: int) -> dict[str, Any]:
    """Return the parameters of a call; a counted call gets another text for each number."""
    params: dict[str, Any] = dict(scenario.params or {})
    if scenario.counted:
        params["data"] = dict.fromkeys(params["data"], f"{scenario.counted}{number}")
    return params


def _request(scenario: Scenario, number: int) -> Request:
    method = scenario.path.rpartition("/")[2].removesuffix(".json")
    return Request(method, edit(scenario, number), Credential("webhook", CODE, str(USER)))


def _call(kernel: Kernel, requests: list[Request]) -> tuple[float, float]:
    """Return the elapsed seconds of the calls, and their processor seconds."""
    began, used = time.perf_counter(), time.thread_time()
    for request in requests:
        reply = kernel.dispatch(request)
        require(isinstance(reply, Success), f"{request.method}: {reply}")
    return time.perf_counter() - began, time.thread_time() - used
