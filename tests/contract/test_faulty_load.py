"""Every fault of the kit at once, in a service of two workers: what the others notice of it.

The other groups answer every call, and rightly; the list of plugins names the culprits.
"""

import http.client
import os
import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from faulty.kit import Fault, install, names
from faulty.load import CLIENTS, FAULTY, WORLD, Load, load
from faulty.running import JOBS, PATHS, RUNNING
from kernel.processes import PATIENCE, Server, landyard, serving

CONFIG = """
log_format = "json"
shutdown_grace = 1

[plugins]
pause = 600.0
"""
CALLS = 24  # of one faulty method at most; five at one worker must do
PAUSE = 0.1  # seconds between two of them
AT_A_TIME = 4
SEED = 5
AT_ONCE = [fault for fault in RUNNING if fault not in JOBS]


class House:
    """A service with the whole kit installed, and the world loaded."""

    def __init__(self, folder: Path, faults: Sequence[Fault]) -> None:
        self.folder = folder
        self.faults = faults
        self.kit = folder / "installed"
        self.kit.mkdir()
        install(self.kit, *faults)
        (folder / "landyard.toml").write_text(CONFIG)
        paths = [str(self.kit), os.environ.get("PYTHONPATH", "")]
        self.env = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD), **self.env)
        assert loaded.status == 0, loaded.err

    @contextmanager
    def serving(self) -> Iterator[Server]:
        with serving(self.folder, "--workers", "2", **self.env) as server:
            yield server

    def arm(self) -> None:
        """From now on the hooks do what they do wrong."""
        (self.kit / "armed").touch()

    def plugins(self) -> dict[str, Any]:
        """What `landyard plugins list` says, by name."""
        listed = landyard(self.folder, "plugins", "list", "--json", given=b"", **self.env)
        assert listed.status == 0, listed.err
        return {row["name"]: row for row in msgspec.json.decode(listed.out)}


def provoke(server: Server, fault: Fault) -> None:
    """Call the method of a fault until it is refused; whatever is answered."""
    path = PATHS.get(fault.plugin, f"/rest/1/{FAULTY}/faulty.{fault.name}.json")
    for _ in range(CALLS):
        with suppress(OSError, http.client.HTTPException):
            status, _, body = server.ask("POST" if path.startswith("/rest") else "GET", path)
            if status == 503 and b"OVERLOAD_LIMIT" in body:
                return
        time.sleep(PAUSE)


def provoke_all(server: Server, faults: Sequence[Fault], seconds: float = 0.0) -> None:
    """Some at a time, in any order; the last begins when `seconds` are over."""
    began = time.monotonic()
    waiting = [
        (began + seconds * turn / len(faults), fault)
        for turn, fault in enumerate(random.Random(SEED).sample(faults, len(faults)))
    ]

    def take() -> None:
        with suppress(IndexError):
            while True:
                due, fault = waiting.pop(0)
                time.sleep(max(0.0, due - time.monotonic()))
                provoke(server, fault)

    threads = [threading.Thread(target=take) for _ in range(AT_A_TIME)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def unnamed(house: House) -> dict[str, Any]:
    """The culprits of whom the list does not say what it must, with what it says."""
    listed = house.plugins()
    return {
        fault.plugin: listed.get(fault.plugin)
        for fault in house.faults
        if fault.plugin not in listed
        or listed[fault.plugin]["state"] != fault.state
        or not re.search(fault.reason, listed[fault.plugin]["reason"])
    }


def await_culprits(server: Server, house: House) -> dict[str, Any]:
    """Wait until all are named; answers those that are not, when that takes too long.

    They are called on meanwhile: what a worker knew of one may have died with it.
    """
    until = time.monotonic() + PATIENCE
    while (left := unnamed(house)) and time.monotonic() < until:
        provoke_all(server, [fault for fault in house.faults if fault.plugin in left])
        time.sleep(0.5)
    return left


def innocents(house: House) -> dict[str, str]:
    """The state of everything that is not of the kit."""
    return {
        name: row["state"]
        for name, row in house.plugins().items()
        if name not in names(house.faults)
    }


def deaths(server: Server) -> int:
    return len(re.findall(r'"worker_started"', server.err)) - 2


def run(house: House, seconds: float, storm: float = 0.0) -> tuple[Load, Load, int]:
    """Baseline and faults, each for so long at least; answers both loads and how many died.

    The faults come one after the other, over three quarters of `seconds`; in a longer `storm` all
    are called on, again and again.
    """
    with house.serving() as server:
        with load(server) as calm:
            time.sleep(seconds)
        house.arm()
        with load(server) as stormy:
            began = time.monotonic()
            provoke_all(server, house.faults, 0.75 * seconds)
            while time.monotonic() < began + storm:
                provoke_all(server, house.faults, 5.0)
            time.sleep(max(0.0, began + seconds - time.monotonic()))
        left = await_culprits(server, house)
        assert left == {}
        assert set(innocents(house).values()) == {"enabled"}
        return calm, stormy, deaths(server)


def test_faulty_plugins_under_load(tmp_path: Path) -> None:
    calm, stormy, died = run(House(tmp_path, AT_ONCE), 2.0)

    assert calm.wrong == []
    assert stormy.wrong == []
    assert calm.broken == 0
    assert stormy.broken <= died * CLIENTS


@pytest.mark.soak
def test_faulty_plugins_under_load_slow_nobody_down(tmp_path: Path) -> None:
    calm, stormy, died = run(House(tmp_path, RUNNING), 60.0, storm=120.0)

    print("p99 in ms, calm and storm:", calm.p99(), stormy.p99(), "died:", died)
    assert stormy.wrong == []
    assert stormy.broken <= died * CLIENTS
    before, during = calm.p99(), stormy.p99()
    assert {step: ms for step, ms in during.items() if ms >= 2 * before[step]} == {}
