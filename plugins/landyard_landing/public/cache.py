"""What was made once and is kept in memory: never beyond its version, never beyond its bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from msgspec import Struct

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_OVERHEAD = 1024  # bytes of an entry besides its own: objects, and its place in the table


class Cache(Generic[Key, Value]):
    """Values by key, each good for one version; the least recently used make room.

    Versions are compared, never ordered: a value is found by exactly the version it was kept with.
    """

    def __init__(self, capacity: int) -> None:
        """Hold no more than `capacity` bytes."""
        self.capacity = capacity
        self.size = 0
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Key, version: int) -> Value | None:
        """Return the value kept for `key` with this version, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.version != version:
                return None
            self._entries.move_to_end(key)
            return entry.value

    def last(self, key: Key) -> Value | None:
        """Return the value kept for `key`, whatever its version, or None."""
        with self._lock:
            entry = self._entries.get(key)
            return None if entry is None else entry.value

    def keep(self, key: Key, version: int, value: Value, size: int) -> None:
        """Keep `value`, which takes `size` bytes; too large a one is not kept at all."""
        size += _OVERHEAD
        if size > self.capacity:
            return
        with self._lock:
            self._drop(self._entries.pop(key, None))
            self._entries[key] = _Entry(version, value, size)
            self.size += size
            while self.size > self.capacity:
                self._drop(self._entries.popitem(last=False)[1])

    def _drop(self, entry: "_Entry[Value] | None") -> None:
        if entry is not None:
            self.size -= entry.size


class _Entry(Struct, Generic[Value], frozen=True):
    version: int
    value: Value
    size: int
