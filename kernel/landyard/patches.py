"""Patches: what plugins change in modules that everybody uses, and what was there before."""

import functools
import operator
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from msgspec import Struct

from landyard.doors import OwnerOf, owner_at, stop_watching, watch

_WATCHED = (
    "builtins", "sys", "os", "os.path", "io", "pathlib", "tempfile", "shutil", "subprocess",
    "time", "datetime", "random", "secrets", "uuid", "signal", "copy",
    "json", "json.decoder", "json.encoder", "msgspec", "msgspec.json", "msgspec.structs",
    "base64", "binascii", "hashlib", "hmac", "re", "struct", "urllib.parse", "pickle",
    "threading", "_thread", "queue", "contextvars", "asyncio", "selectors", "socket", "ssl",
    "collections", "contextlib", "functools", "itertools", "weakref", "traceback",
    "importlib", "logging", "structlog",
    "pluggy", "pluggy._hooks", "pluggy._callers", "pluggy._manager",
    "sqlite3", "sqlalchemy", "sqlalchemy.engine.base", "sqlalchemy.orm.session", "sqlmodel",
)  # fmt: skip
# Many a change is made to a class and not to its module: the classes of these are watched too.
_CLASSES_OF = (
    "json", "threading", "queue", "socket", "logging", "pluggy", "landyard.",
    "sqlalchemy.engine.base", "sqlalchemy.orm.session", "sqlmodel.orm.session",
)  # fmt: skip
# Test runners, consoles and error trackers set these, and nobody's call depends on them.
_LEFT_OUT = frozenset(
    ("excepthook", "unraisablehook", "displayhook", "breakpointhook", "last_type", "__builtins__")
)
# Values of other kinds change as a module is used: caches, counters, levels.
_KINDS = (FunctionType, BuiltinFunctionType, type, staticmethod, classmethod, property)


_UNKNOWN = object()


def _folder() -> object:
    with suppress(OSError):  # somebody has removed it
        return os.getcwd()  # noqa: PTH109 - asked every second, and only compared
    return _UNKNOWN


def _go_back(folder: str, change: Callable[[str], None] = os.chdir) -> None:
    with suppress(OSError):
        change(folder)  # Python's own: nobody is told


# What a module keeps to itself: how it is set, how it is read, and how it is set back.
_SETTINGS: Mapping[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "sys.setrecursionlimit": (sys.getrecursionlimit, sys.setrecursionlimit),
    "sys.setswitchinterval": (sys.getswitchinterval, sys.setswitchinterval),
    "sys.set_int_max_str_digits": (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    "socket.setdefaulttimeout": (socket.getdefaulttimeout, socket.setdefaulttimeout),
    "threading.settrace": (threading.gettrace, threading.settrace),
    "threading.setprofile": (threading.getprofile, threading.setprofile),
    "os.chdir": (_folder, _go_back),
}


class Patch(Struct, frozen=True):
    """`name` of `module` is not what it was: `dumps` of `json`, `start` of `threading.Thread`.

    `owner` is the plugin that did it, empty where nobody can tell.
    """

    module: str
    name: str
    owner: str


class Patches:
    """A snapshot of the modules that everybody uses, to hold them against."""

    def __init__(self, owner_of: OwnerOf) -> None:
        """Take the snapshot: before the first plugin is imported."""
        self._owner_of = owner_of
        self._lock = threading.RLock()
        self._undone: list[Patch] = []
        self.doers: dict[str, str] = {}
        watch(self)  # first: it changes some of these functions itself
        self._places = list(_places())
        self._modules = self._places[0]
        self.loaded = len(sys.modules)
        self._settings = {name: read() for name, (read, _) in _SETTINGS.items()}

    def passed(self, door: str, frame: FrameType, arguments: tuple[Any, ...]) -> None:
        """Note who sets what a module keeps to itself."""
        if door in _SETTINGS:
            with self._lock:
                self.doers.pop(door, None)
                owner = owner_at(frame, self._owner_of)
                if owner:
                    self.doers[door] = owner
                elif owner == "" and arguments:  # the kernel's own doing is how it should be
                    self._settings[door] = arguments[0]

    def changed(self, importing: str = "") -> list[Patch]:
        """List what is not as it was; a change whose owner cannot be told is of `importing`."""
        with self._lock:
            found = list(self._differences())
            # Those who have put it back themselves have done nothing.
            doers = {what: self.doers[what] for what, _ in found if what in self.doers}
            self.doers = doers
            return self._undone + [
                _patch(what, self._owner(value) or doers.get(what) or importing)
                for what, value in found
            ]

    def restore(self) -> None:
        """Put back what was there before."""
        with self._lock:
            self._undone = []
            self.doers.clear()
            for place in self._places:
                place.restore()
            for setting in self._changed_settings():
                self._put_back(setting)

    def close(self) -> None:
        """Look no more."""
        stop_watching(self)

    def settle(self, plugin: str) -> None:
        with self._lock:
            self.loaded = len(sys.modules)
            # Who took a module away is the first to be seen without it, most likely.
            for what, value in list(self._modules.differences()):
                self._undone.append(_patch(what, self._owner(value) or plugin))
            self._modules.restore()
            for setting in self._changed_settings():
                if self.doers.get(setting) == plugin:
                    self._put_back(setting)
                    self._undone.append(_patch(setting, plugin))
            self.doers = {what: doer for what, doer in self.doers.items() if doer != plugin}

    def _put_back(self, setting: str) -> None:
        _SETTINGS[setting][1](self._settings[setting])

    def _differences(self) -> Iterator[tuple[str, Any]]:
        for place in self._places:
            if not place.same():
                yield from place.differences()
        yield from self._changed_settings().items()

    def _changed_settings(self) -> dict[str, Any]:
        now = {name: read() for name, (read, _) in _SETTINGS.items()}
        return {
            name: now[name]
            for name, before in self._settings.items()
            if now[name] != before and _UNKNOWN not in (now[name], before)
        }

    def _owner(self, value: Any) -> str | None:
        """Find the plugin whose code `value` is, or wraps."""
        for _ in range(8):
            if isinstance(value, functools.partial):
                value = value.func
            if isinstance(value, MethodType | staticmethod | classmethod):
                value = value.__func__
            if isinstance(value, property):
                value = value.fget
            owner = self._owner_of(_home(value))
            value = getattr(value, "__wrapped__", None)
            if owner is not None or value is None:
                return owner
        return None


class _Place:
    """A module, a class or `sys.modules`, with what stood in it."""

    def __init__(self, name: str, held: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self._name = name
        self._held = held
        self._before = dict(values)
        self._values = tuple(values.values())
        self._read = operator.itemgetter(*values)

    def same(self) -> bool:
        """Tell, fast, whether all is as it was."""
        try:
            return all(map(operator.is_, self._read(self._held), self._values))
        except KeyError:
            return False

    def differences(self) -> Iterator[tuple[str, Any]]:
        """Go through what is not as it was: `json.dumps`, and what is there now."""
        for name, before in self._before.items():
            value = self._held.get(name)
            if value is not before:
                yield f"{self._name}.{name}", value

    def restore(self) -> None:
        for name, before in self._before.items():
            if self._held.get(name) is not before:
                self._put(name, before)

    def _put(self, name: str, value: Any) -> None:
        assert isinstance(self._held, dict)
        self._held[name] = value


class _ClassPlace(_Place):
    def __init__(self, kind: type, values: Mapping[str, Any]) -> None:
        super().__init__(f"{kind.__module__}.{kind.__qualname__}", vars(kind), values)
        self._kind = kind

    def _put(self, name: str, value: Any) -> None:
        setattr(self._kind, name, value)


def _places() -> Iterator[_Place]:
    """Take down what is loaded: whoever imports the rest later finds the module whole."""
    names = [name for name in _WATCHED if name in sys.modules]
    yield _Place("sys.modules", sys.modules, {name: sys.modules[name] for name in names})
    kernel = [name for name in sys.modules if name.startswith("landyard.")]
    classes: dict[type, None] = {}
    for name in [*names, *kernel]:
        held = vars(sys.modules[name])
        values = _worth_watching(held)
        if len(values) > 1:
            yield _Place(name, held, values)
        classes.update(dict.fromkeys(each for each in values.values() if _is_open(each)))
    for kind in classes:
        values = _worth_watching(vars(kind))
        if len(values) > 1:
            yield _ClassPlace(kind, values)


def _patch(what: str, owner: str) -> Patch:
    module, _, name = what.rpartition(".")
    return Patch(module, name, owner)


def _worth_watching(held: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in list(held.items())
        if isinstance(value, _KINDS) and name not in _LEFT_OUT
    }


def _is_open(value: Any) -> bool:
    return isinstance(value, type) and value.__module__.startswith(_CLASSES_OF)


def _home(value: Any) -> str:
    """Name the module whose code `value` is; what `functools.wraps` says of it is not asked."""
    if isinstance(value, FunctionType):
        return str(value.__globals__.get("__name__", ""))
    if isinstance(value, ModuleType):
        return value.__name__
    return str((value if isinstance(value, type) else type(value)).__module__)
