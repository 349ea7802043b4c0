"""A service with the kit of faulty plugins, under load, and the log it writes."""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from faulty.kit import install, running
from faulty.load import FAULTY, WORLD, Answer, Caller, Load, load
from kernel.processes import Server, landyard, serving
from kernel.supervised import runs, until
from msgspec import Struct

RUNNER = """
import functools, sys
from landyard import kernel
from landyard.cli import serving
from landyard.cli.main import main
from landyard.serving import jobs
from landyard.serving.health_checks import Rules
from landyard.web import lifespan

serving.RULES = Rules({rules})
lifespan.RECORDED_EVERY = 0.5
jobs.JobRunner.__init__.__defaults__ = (1.5,)
kernel.Store = functools.partial(kernel.Store, patience={patience})
main(["serve", *sys.argv[1:]])
"""


KEPT = "database_locked"


class Times(Struct, frozen=True):
    """The durations of a scene in seconds, and how often each fault is provoked."""

    limit: float  # the time limit of a call
    patience: float  # how long a call waits for a locked database
    over_limit: float  # until the worker of a call that overran its limit is replaced
    lock_held: float
    busy: float  # until the workers are reloaded because of a lock that none of them holds
    blocked: float
    back: float  # until another worker answers; the machine may be busy with other work
    slack: float  # allowance for a busy machine
    rounds: int
    pause: float = 0.1  # between two calls of one client of the load
    rules: str = ""  # arguments for the supervisor's rules

    @property
    def runner(self) -> str:
        return RUNNER.format(rules=self.rules, patience=self.patience)


FEW = 12
SHORT = Times(
    limit=1.0,
    patience=1.5,
    over_limit=1.5,
    lock_held=2.0,  # longer than calls that end by themselves after their limit
    busy=4.0,
    blocked=2.5,
    back=8.0,
    slack=15.0,
    rounds=1,
    pause=0.3,
    rules="poll=0.1, blocked=2.5, over_limit=1.5, lock_held=2.0, lock_grace=1.0, busy=4.0,"
    " freed=5.0, loading=4.0, trial=4.0, backoff=0.05",
)
REAL = Times(
    limit=5.0,
    patience=10.0,
    over_limit=10.0,
    lock_held=5.0,
    busy=30.0,
    blocked=5.0,
    back=1.0,
    slack=2.5,
    rounds=2,
)


class Scene:
    """One service whose faults are provoked under load."""

    def __init__(self, server: Server, folder: Path, times: Times, workers: int) -> None:
        self.server = server
        self.folder = folder
        self.times = times
        self.workers = workers
        self._logged: list[dict[str, Any]] = []
        self._read = 0  # the offset in the log up to which it was read

    @contextmanager
    def row(self, name: str, *, refused: bool = False, broken: bool = False) -> Iterator[Load]:
        """Provoke a fault under load, check the answers that the load got, and print them."""
        self.settle()
        before = len(self.events())
        with load(self.server, pause=self.times.pause) as seen:
            time.sleep(0.2)
            yield seen
            time.sleep(0.2)
        deaths = [each for each in self.events()[before:] if each["event"] == "worker_died"]
        print(f"\n{name} ({self.workers} workers): {seen}; {len(deaths)} workers died", end="")
        for wrong in seen.wrong:
            print("\n    wrong:", wrong, end="")
        assert self._faults(seen) == []
        assert broken or not seen.broken
        # A busy machine may use up the short limit, for example while it starts a worker.
        few = self.times is SHORT and (broken or seen.refused <= FEW)
        assert refused or not seen.refused or few

    def _faults(self, seen: Load) -> list[Any]:
        """The wrong answers that the load got.

        In the short scene a call has one second, and a machine that runs other tests may give up a
        few calls. With the real times no answer is excused.
        """
        given_up = [each for each in seen.wrong if "was given up; nothing was changed" in str(each)]
        if self.times is SHORT and len(given_up) <= FEW:
            return [each for each in seen.wrong if each not in given_up]
        return seen.wrong

    def ask(self, path: str, params: Any = None, verb: str = "POST", **headers: str) -> Answer:
        """Send a request on a connection of its own."""
        caller = Caller(self.server.port)
        try:
            return caller.ask(path, params, verb, **headers)
        finally:
            caller.close()

    def call(self, method: str, code: str = FAULTY, /, **params: Any) -> Answer:
        return self.ask(f"/rest/1/{code}/{method}", params)

    def call_again(self, method: str, **params: Any) -> Answer:
        """Call until the call is not refused: a busy machine refuses some."""
        for _ in range(5):
            answer = self.call(method, **params)
            if not answer.refused or self.times is not SHORT:
                break
            time.sleep(0.5)
        return answer

    def events(self, event: str = "", **fields: Any) -> list[dict[str, Any]]:
        """The log entries of one event with these fields."""
        with (self.server.folder / f"{self.server.port}.err").open("rb") as log:
            log.seek(self._read)
            for line in log:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                if line.startswith(b"{") and line.endswith(b"}\n"):
                    self._logged.append(msgspec.json.decode(line))
        return [
            each
            for each in self._logged
            if event in {"", each["event"]} and fields.items() <= each.items()
        ]

    def named(self, event: str, count: int = 1, **fields: Any) -> list[dict[str, Any]]:
        """Wait until the event was logged `count` times, and print the last entry."""

        before = len(self.events())

        def told() -> list[dict[str, Any]]:
            found = self.events(event, **fields)
            return found if len(found) >= count else []

        found: list[dict[str, Any]] = until(told, lambda: self._missed(event, fields, before))
        left_out = {"timestamp", "level", "exception", "stack"}
        print("\n   ", {k: v for k, v in found[-1].items() if k not in left_out}, end="")
        return found

    def _missed(self, event: str, fields: dict[str, Any], before: int) -> str:
        """The message for a timeout: which events were logged instead."""
        often = {"page_served", "job_failed"}
        instead = [each for each in self.events()[before:] if each["event"] not in often]
        return f"{event} {fields}; instead: {instead[-10:]}"

    def ready(self) -> list[int]:
        """The process ids of all workers that were ever ready."""
        return [each["pid"] for each in self.events("worker_ready")]

    def plugins(self, *words: str) -> dict[str, Any]:
        """The rows of `landyard plugins list`, or of another subcommand, by plugin name."""
        words = ("plugins", *(words or ("list",)), "--json")
        listed = landyard(self.folder, *words, given=b"", **paths(self.folder))
        assert listed.status == 0, listed.err
        return {row["name"]: row for row in msgspec.json.decode(listed.out)}

    def state_of(self, plugin: str) -> str:
        """The plugin's state as workers stored it in the database. (A command would take a
        second.)
        """
        query = "SELECT state FROM landyard_plugin WHERE name = ?"
        with closing(sqlite3.connect(self.folder / "data" / "landyard.db")) as database:
            return "".join(state for (state,) in database.execute(query, [plugin]))

    def changed(self) -> bool:
        """Tell whether a faulty plugin changed a page that it must not change."""
        with closing(sqlite3.connect(self.folder / "data" / "landyard.db")) as database:
            titles = database.execute("SELECT title FROM landing_page").fetchall()
        return titles != [("",)]

    def settle(self) -> None:
        """Wait until exactly the wanted workers run and none of them is to be replaced."""

        def settled() -> bool:
            # A worker whose database lock disappeared is kept.
            gone = [each for each in self.events("worker_replaced") if each["reason"] != KEPT]
            running = {pid for pid in self.ready() if runs(pid)}
            return len(running) == self.workers and running.isdisjoint(each["pid"] for each in gone)

        until(settled)


def paths(folder: Path) -> dict[str, str]:
    """The environment variables that make the kit importable."""
    found = [str(folder / "installed"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, found))}


@contextmanager
def served(folder: Path, times: Times, workers: int, **more: str) -> Iterator[Scene]:
    """Serve the world with the kit installed."""
    install(folder / "installed", *running())
    (folder / "runner.py").write_text(times.runner)
    loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD))
    assert loaded.status == 0, loaded.err
    variables = {
        **paths(folder),
        "LANDYARD_LOG_FORMAT": "json",
        "LANDYARD_PLUGINS__SECONDS": str(times.limit),
        "LANDYARD_SHUTDOWN_GRACE": "5",
        **more,
    }
    program = [sys.executable, "runner.py"]
    with serving(folder, "--workers", str(workers), program=program, **variables) as server:
        scene = Scene(server, folder, times, workers)
        until(lambda: len(scene.ready()) >= workers)
        yield scene


def within(seconds: float, true: Callable[[], Any]) -> float:
    """Wait until the condition is true, at most `seconds`, and return how long that took."""
    began = time.monotonic()
    until(true)
    took = time.monotonic() - began
    assert took <= seconds, f"{took:.2f} s"
    return took
