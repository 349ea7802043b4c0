"""A supervisor for tests, above workers that only pretend to serve: no kernel, no server."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernel.forked import Started, start

PATIENCE = 60.0
PRELUDE = """
import os, signal, sys, threading, time
from pathlib import Path
from landyard.logs import configure
from landyard.serving.processes import Health, leave
from landyard.serving.supervisor import Supervisor
from landyard.serving.health_checks import Rules

configure("info", "json")
here = Path.cwd()
rules = dict(poll=0.02, blocked=0.4, over_limit=0.2, lock_held=0.2, lock_grace=0.1, busy=0.3,
             freed=0.4, loading=0.4, trial=0.5, backoff=0.01)


def tell(link, health):
    \"\"\"Tell of the health of a worker whose loop turns.\"\"\"
    while True:
        health["turned_at"] = time.monotonic()
        link.send("health", detail=Health(**health))
        time.sleep(0.01)


def serve(left_out, first, link, scoreboard, obey=lambda message: None, health={}):
    \"\"\"Pretend to be a worker of this health, until told to stop.\"\"\"
    link.send("ready")
    threading.Thread(target=tell, args=(link, health), daemon=True).start()
    while (messages := link.receive()) is not None:
        for message in messages:
            obey(message)
            if message.word == "stop":
                leave(0)
    leave(1)


def times(name):
    \"\"\"Count how often this was called under a name, by all processes.\"\"\"
    with (here / name).open("a") as file:
        file.write("x")
    return len((here / name).read_text())


work, count, grace, try_plugins = serve, 1, 2.0, lambda suspect, seconds: {}
"""
RUN = """
with Supervisor(Rules(**rules)) as supervisor:
    refusal = supervisor.run(count, grace, work, try_plugins)
print(refusal)
"""


class Run:
    """A running supervisor, and its log."""

    def __init__(self, process: Started, log: Path) -> None:
        self.process = process
        self._log = log

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = self._log.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def named(self, event: str, **fields: Any) -> list[dict[str, Any]]:
        return [
            each
            for each in self.events
            if each["event"] == event and fields.items() <= each.items()
        ]

    def until(self, event: str, count: int = 1, **fields: Any) -> list[dict[str, Any]]:
        """Wait until an event was logged this often; fails after a while."""

        def said() -> list[dict[str, Any]]:
            ended = self.process.poll() is not None
            events = self.named(event, **fields)
            assert len(events) >= count or not ended, str(self)
            return events if len(events) >= count else []

        told: list[dict[str, Any]] = until(said, self)
        return told

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def stop(self) -> int:
        self.send(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def __str__(self) -> str:
        return self._log.read_text()


@contextmanager
def supervised(folder: Path, scenario: str) -> Iterator[Run]:
    """Run a supervisor with a scenario's `work`, `count` and `rules`."""
    script = folder / "scenario.py"
    script.write_text(PRELUDE + scenario + RUN)
    with (
        Path(os.devnull).open("rb") as nothing,
        (folder / "log").open("ab") as err,
        (folder / "out").open("ab") as out,
    ):
        process = start([sys.executable, str(script)], folder, os.environ, nothing, out, err)
        run = Run(process, folder / "log")
        try:
            yield run
        finally:
            if process.poll() is None:
                run.stop()


def until(true: Callable[[], Any], told: object = "") -> Any:
    """Ask again until the answer is true; fails after a while with the given report."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if answer := true():
            return answer
        time.sleep(0.01)  # a bounded wait for another process
    raise AssertionError(str(told() if callable(told) else told))


def runs(pid: int) -> bool:
    """Tell whether a process runs; an ended one may still be listed."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
