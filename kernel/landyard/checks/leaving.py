"""What a plugin leaves behind: modules it has changed, threads that run on, hooks that failed."""

import threading
import time
from collections.abc import Iterator, MutableMapping
from typing import Any

import structlog

from landyard.checks.findings import Finding, failure, warning
from landyard.memory import resident
from landyard.patches import Patches

_MUCH = 128  # MiB; some are the libraries' that the checks themselves import
_ENDING = 2.0  # seconds that a thread has to end once the services are closed


class Traces:
    """Watches from before the plugin is imported."""

    def __init__(self, plugin: str) -> None:
        """Watch `plugin`; from now on nothing is logged, but what is about its faults is kept."""
        self._plugin = plugin
        self._threads = set(threading.enumerate())
        self._resident = resident()
        self._patches = Patches(lambda _module: plugin)
        self._reasons: dict[str, None] = {}  # each once, in order
        structlog.configure(processors=[self._listen])

    def look(self) -> None:
        """Note what is patched by now."""
        for patch in self._patches.changed():
            self._changed(patch.module, patch.name)

    def findings(self) -> Iterator[Finding]:
        """Tell all that is left when the services are closed."""
        self.look()
        yield from (failure("leftovers", reason) for reason in self._reasons)
        yield from self._memory()
        until = time.monotonic() + _ENDING
        for thread in set(threading.enumerate()) - self._threads:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                reason = f"the thread {thread.name} still runs when all is closed"
                yield failure("leftovers", reason)

    def _memory(self) -> Iterator[Finding]:
        now = resident()
        if self._resident is None or now is None:
            return
        more = (now - self._resident) // (1024 * 1024)
        if more > _MUCH:
            yield warning("leftovers", f"the process has grown by {more} MiB")

    def _listen(
        self, _logger: object, _name: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Keep what a service logs of the plugin's faults, which it has put right itself."""
        if event.get("plugin") == self._plugin:
            match event:
                case {"event": "hook_failed", "hook": hook, "error": error}:
                    self._reasons[f"its hook {hook} raised {error}"] = None
                case {"event": "patch_undone", "module": module, "name": name}:
                    self._changed(module, name)
        raise structlog.DropEvent

    def _changed(self, module: str, name: str) -> None:
        self._reasons[f"it has changed {module}.{name}"] = None
