"""A cache in memory, bounded in bytes, whose entries are valid for one version each."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from msgspec import Struct

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_OVERHEAD = 1024  # bytes of an entry besides its value: objects and the place in the table


class Cache(Generic[Key, Value]):
    """Values by key, each valid for one version; the least recently used are dropped first.

    Versions are compared for equality, not ordered: a value is found only by its own version.
    """

    def __init__(self, capacity: int) -> None:
        """Make an empty cache that holds at most `capacity` bytes."""
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
        """Keep `value`, which takes `size` bytes; a value beyond the capacity is not kept."""
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
