"""Counts failed hooks, pages and jobs of plugins, and work over its time limit."""

from collections.abc import Callable
from types import FrameType, ModuleType

import structlog

from landyard.core.methods import Hook, Method
from landyard.plugin_host.lifecycle import Lifecycle
from landyard.plugin_host.usage import Usage, failure

log = structlog.get_logger()


class Failures:
    """Counts what fails beside the calls, and tells the circuit breaker of what hangs.

    `observers` are told of each failure that is counted: where, and what was raised.
    """

    def __init__(self, usage: Usage, lifecycle: Lifecycle) -> None:
        self._usage = usage
        self._lifecycle = lifecycle
        self.observers: list[Callable[[str, BaseException], object]] = []

    def hook(self, hook: Hook, error: BaseException) -> None:
        log.error("hook_failed", plugin=hook.plugin, hook=hook.name, exc_info=error)
        self.note(hook.plugin, f"hook {hook.name}", 0.0, error)

    def note(self, plugin: str, where: str, seconds: float, error: BaseException) -> None:
        """Count what has raised outside of a call; `where` is such as `job landing.tidy`."""
        self._usage.count(f"plugin:{plugin}", seconds, failure(error, where))
        for observe in self.observers:
            observe(where, error)

    def overrun(self, label: str, seconds: float, frame: FrameType | None) -> str:
        """Count work over its limit; name the plugin whose handler runs, or "" where none does."""
        method = self._lifecycle.resolution.registry.methods.find(label)
        plugin, where, handles = self._whose_code(frame, method)
        # Where nobody's code runs it waits for the database: the plugin is that of the call then.
        named = {"plugin": plugin} if plugin else {}
        log.warning("call_overran", label=label, **named, at=where, seconds=seconds)
        if plugin:
            name = label if handles else f"plugin:{plugin}"
            self._usage.count(name, seconds, f"{label} ran longer than {seconds:g} s")
        if method is None or not handles:  # a hook of the method's plugin is not the method
            return ""
        self._lifecycle.breaker.hung(method.name, method.plugin, seconds)
        return plugin

    def _whose_code(self, frame: FrameType | None, method: Method | None) -> tuple[str, str, bool]:
        """Name the plugin whose code is running, the place in it, and whether a handler is.

        While a handler runs it is the plugin of its method, else the plugin of the innermost
        frame. While the thread waits in `landyard.storage` it is none.
        """
        modules = {
            f"{plugin.module.__name__}.": plugin.name
            for plugin in (each.plugin for each in list(self._lifecycle.loaded.values()))
            if isinstance(plugin.module, ModuleType)
        }
        handler = getattr(method.handler, "__code__", None) if method else None
        plugin = where = ""
        while frame is not None:
            name = str(frame.f_globals.get("__name__", ""))
            if not plugin and name.startswith("landyard.storage."):
                return "", "", False
            owner = next((modules[each] for each in modules if f"{name}.".startswith(each)), "")
            if not where and (owner or frame.f_code is handler):
                plugin, where = owner, f"{name}.{frame.f_code.co_name}, line {frame.f_lineno}"
            if method is not None and frame.f_code is handler:
                return method.plugin, where, True
            frame = frame.f_back
        return plugin, where, False
