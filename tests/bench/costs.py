"""Where the time of a call goes: a profile of dispatch in this process, and what HTTP adds."""

import cProfile
import pstats
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.answers import require
from bench.contest import Bench, contest
from bench.figures import Figure, figure
from bench.load import blast
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
"""By what is in a function's name or file; the rest is the method's own."""


def costs(bench: Bench) -> list[Figure]:
    """Say in microseconds what a call's parts take, on a core that does nothing else."""
    figures: list[Figure] = []
    with contest(bench) as running:
        for scenario in (GETLIST, LARGE_EDIT):
            ports = running.ports
            whole = _whole(bench, ports["landyard"], scenario)
            server = _whole(bench, ports["limit"], METHODS)
            inside = dict(_inside(bench, scenario))
            inside["HTTP server"] = server
            # What is left: the edge reads and writes the call, and hands it to a thread and back.
            inside["edge and hand-over"] = max(0.0, whole - sum(inside.values()))
            figures += [
                figure(f"cost/{scenario.name}/{part}", f"{scenario.title}: {part}", [took], "us")
                for part, took in inside.items()
            ]
    return figures


def _whole(bench: Bench, port: int, scenario: Scenario) -> float:
    rates = [
        blast(bench.cores.load, bench.folder, scenario, port, bench.seconds).per_second
        for _ in range(bench.rounds)
    ]
    return 1e6 / max(rates)


def _inside(bench: Bench, scenario: Scenario) -> Iterator[tuple[str, float]]:
    """Profile dispatch; what the profiler itself costs is taken off the functions in Python."""
    method = scenario.path.rpartition("/")[2].removesuffix(".json")
    with closing(Kernel(Settings(data=Path(bench.env["LANDYARD_DATA"])))) as kernel:
        requests = [_request(method, scenario, number) for number in range(_CALLS)]
        _call(kernel, requests)
        alone = min(_call(kernel, requests) for _ in range(3))
        profile = cProfile.Profile()
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


def _part(name: str) -> str:
    for part, known in _PARTS:
        if any(each in name for each in known):
            return part
    return "the method"


def _request(method: str, scenario: Scenario, number: int) -> Request:
    params: dict[str, Any] = dict(scenario.params or {})
    if scenario.counted:
        values = dict.fromkeys(params["data"], f"{scenario.counted}{number}")
        params["data"] = values
    return Request(method, params, Credential("webhook", CODE, str(USER)))


def _call(kernel: Kernel, requests: list[Request]) -> float:
    began = time.perf_counter()
    for request in requests:
        reply = kernel.dispatch(request)
        require(isinstance(reply, Success), f"{request.method}: {reply}")
    return time.perf_counter() - began
