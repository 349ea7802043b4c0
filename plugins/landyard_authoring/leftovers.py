"""Checks for threads that still run and for hooks that raised, after all other checks."""

import threading
import time
from collections.abc import Iterator, MutableMapping
from typing import Any

import structlog

from landyard_authoring.findings import Finding, failure
from landyard_authoring.source import Source

_ENDING = 2.0  # seconds for a thread to end after the services are closed


class Before:
    """The threads of the process before the plugin was imported, and its failed hooks since."""

    def __init__(self, plugin: str) -> None:
        """Note the running threads. From now on nothing is logged, but failed hooks are noted."""
        self._plugin = plugin
        self._failed: dict[str, None] = {}  # each once, in order
        self._threads = set(threading.enumerate())
        structlog.configure(processors=[self._listen])

    def findings(self, source: Source) -> Iterator[Finding]:
        """Yield findings about hooks that failed and threads that still run."""
        yield from (failure(reason, source.of_text(reason)) for reason in self._failed)
        until = time.monotonic() + _ENDING
        for thread in set(threading.enumerate()) - self._threads:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                yield failure(
                    f"the thread {thread.name} still runs when all is closed: declare a job, or end"
                    " it in `close` of the object that `register_hooks` answers",
                    source.of_text(f"{thread.name} Thread"),
                )

    def _listen(
        self, _logger: object, _name: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        match event:
            case {"event": "hook_failed", "plugin": self._plugin, "hook": hook, "exc_info": error}:
                self._failed[f"its hook {hook} raised {type(error).__name__}"] = None
        raise structlog.DropEvent
