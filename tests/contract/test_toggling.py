"""A group switched on and off ten times a second under load: every call runs whole or is
refused.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from faulty.load import WORLD, Load, load
from kernel.processes import PATIENCE, Server, landyard, serving
from kernel.supervised import until

from landyard.plugin_host.switches import write_switch
from landyard.storage.store import Store

GROUP = "blocks"
EVERY = 0.1  # seconds
OFF = ("ERROR_METHOD_NOT_FOUND",)


class Switching:
    """Switches the group on and off until it is stopped, and leaves it on."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.error: Exception | None = None
        self.times = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        self._switch(is_on=True)

    def _run(self) -> None:
        try:
            while not self._over.wait(EVERY):
                self._switch(is_on=self.times % 2 == 1)
                self.times += 1
        except Exception as error:
            self.error = error

    def _switch(self, *, is_on: bool) -> None:
        with self._store.unit(writes=True) as unit:
            write_switch(unit.connection, GROUP, is_on=is_on, at=datetime.now(UTC), by="test")


@contextmanager
def switching(folder: Path) -> Iterator[Switching]:
    store = Store(f"sqlite:///{folder / 'data' / 'landyard.db'}")
    toggler = Switching(store)
    toggler.start()
    try:
        yield toggler
    finally:
        toggler.stop()
        store.close()


def toggle(folder: Path, seconds: float) -> tuple[Load, Switching]:
    loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD))
    assert loaded.status == 0, loaded.err
    with serving(folder, "--workers", "2") as server:
        with load(server, codes=OFF) as done, switching(folder) as toggler:
            time.sleep(seconds)
            until(lambda: done.refused)  # on a busy machine a worker may not have followed yet
        assert await_on(server)
    return done, toggler


def await_on(server: Server) -> bool:
    """Tell whether both workers come to have the group on."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with load(server, pause=0.0) as check:
            time.sleep(0.5)
        if not check.wrong:
            return True
    return False


def check(done: Load, toggler: Switching, seconds: float) -> None:
    assert done.wrong == []
    assert done.broken == 0
    assert toggler.error is None
    assert toggler.times > seconds / EVERY / 4  # the machine may be busy
    assert done.refused  # calls found the group off
    assert done.answered > 2 * done.refused  # calls found the group on


def test_a_group_toggled_under_load(tmp_path: Path) -> None:
    done, toggler = toggle(tmp_path, 4.0)

    check(done, toggler, 4.0)


@pytest.mark.soak
def test_a_group_toggled_for_a_minute_under_load(tmp_path: Path) -> None:
    done, toggler = toggle(tmp_path, 60.0)

    check(done, toggler, 60.0)
