"""Doors: functions that change the whole process, and who went through them.

Afterwards nobody can tell who set a limit or started a thread. So these functions are replaced,
in a process that is guarded, by ones that look at who calls.
"""

import functools
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol
from weakref import WeakSet

import structlog

log = structlog.get_logger()

OwnerOf = Callable[[str], str | None]
"""Tells the plugin that a module belongs to, by the module's dotted name."""

DOORS = (
    "os.chdir",
    "socket.setdefaulttimeout",
    "sys.set_int_max_str_digits",
    "sys.setrecursionlimit",
    "sys.setswitchinterval",
    "threading.setprofile",
    "threading.settrace",
    "threading.Thread.start",
)


class Watcher(Protocol):
    """Is told of everybody who goes through a door."""

    def passed(self, door: str, frame: FrameType, arguments: tuple[Any, ...]) -> None:
        """Take note: the code at `frame` is about to call the function with `arguments`."""
        ...


# The one thing here that outlives a kernel: whoever replaced the functions above these would put
# an old one back. So they stay, for all kernels of the process, and know those that are open.
_watching: "WeakSet[Watcher]" = WeakSet()
_replacing = threading.Lock()
_replaced: set[str] = set()


def watch(watcher: Watcher) -> None:
    """Tell `watcher` from here on, until `stop_watching`."""
    _watching.add(watcher)
    with _replacing:
        for door in DOORS:
            if door not in _replaced:
                _replaced.add(door)
                _replace(door)


def stop_watching(watcher: Watcher) -> None:
    """Tell `watcher` no more."""
    _watching.discard(watcher)


def owner_at(frame: FrameType | None, owner_of: OwnerOf) -> str | None:
    """Find the plugin with the innermost code at `frame`: what a library does is of who called it.

    Empty where the kernel comes first: it starts threads of its own when a plugin's page or job
    first needs them.
    """
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith("landyard."):
            return ""
        owner = owner_of(module)
        if owner is not None:
            return owner
        frame = frame.f_back
    return None


def _replace(door: str) -> None:
    module, *path, name = door.split(".")
    place = functools.reduce(getattr, path, sys.modules[module])
    function = getattr(place, name)

    @functools.wraps(function)
    def watched(*arguments: Any, **named: Any) -> Any:
        _tell(door, sys._getframe(1), arguments)  # noqa: SLF001 - the way to see who calls
        return function(*arguments, **named)

    setattr(place, name, watched)


def _tell(door: str, frame: FrameType, arguments: tuple[Any, ...]) -> None:
    for watcher in list(_watching):
        try:
            watcher.passed(door, frame, arguments)
        except Exception as error:  # noqa: BLE001 - whatever it is, the function is called
            log.warning("door_not_watched", door=door, error=type(error).__name__)
