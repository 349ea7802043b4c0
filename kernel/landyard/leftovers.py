"""Leftovers: the threads that plugins have started and that still run."""

import threading
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from landyard.doors import OwnerOf, owner_at, stop_watching, watch

MOST_THREADS = 32


class Leftovers:
    """The threads of each plugin: those its code has started, and those that these have started."""

    def __init__(self, owner_of: OwnerOf) -> None:
        """Count from here on. Calls pay nothing for it: what is watched is how threads start."""
        self._owner_of = owner_of
        self._lock = threading.Lock()
        self._started: WeakKeyDictionary[threading.Thread, str] = WeakKeyDictionary()
        watch(self)

    def threads(self) -> dict[str, int]:
        """Return how many threads of each plugin still run."""
        counts: dict[str, int] = {}
        with self._lock:
            for thread, owner in list(self._started.items()):
                # Told of before it runs: one without an identity is about to.
                if thread.ident is None or thread.is_alive():
                    counts[owner] = counts.get(owner, 0) + 1
                else:
                    del self._started[thread]
        return counts

    def over(self) -> list[tuple[str, str]]:
        """Return the plugins with more than `MOST_THREADS`, each with a reason to tell."""
        return [
            (plugin, f"it has left {count} threads behind; {MOST_THREADS} is the most")
            for plugin, count in self.threads().items()
            if count > MOST_THREADS
        ]

    def passed(self, door: str, frame: FrameType, arguments: tuple[Any, ...]) -> None:
        """Take in a thread that the code at `frame` is about to start."""
        if door != "threading.Thread.start":
            return
        owner = owner_at(frame, self._owner_of)
        if owner is None:
            owner = self._started.get(threading.current_thread())
        if owner:
            with self._lock:
                self._started[arguments[0]] = owner

    def close(self) -> None:
        """Count no more."""
        stop_watching(self)
