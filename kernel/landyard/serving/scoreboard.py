"""The scoreboard: shared memory in which a worker shows its supervisor the calls it is running."""

import mmap
from collections import deque
from collections.abc import Iterator
from functools import lru_cache

SLOTS = 512  # one a thread; a worker has a few dozen, and 476 where all of them wait
_TEXT = 64  # bytes of a method's name, of a request id, or of who calls
_SIZE = 3 * _TEXT
_CALLER = 2 * _TEXT
_SPARE = SLOTS * _SIZE  # where threads note that have no slot of their own; it is not shown


class Scoreboard:
    """Shared memory of a worker and its supervisor, made before the worker is forked.

    The worker writes, the supervisor reads, also after the worker's death. Nothing is locked: a
    name that is read while it is written may be half of each, and is a hint.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SPARE + _SIZE)
        self._free = deque(range(0, _SPARE, _SIZE))

    def take_slot(self) -> int:
        """Take a place for this thread. When there is none, what is noted in it is not shown."""
        try:
            return self._free.popleft()
        except IndexError:
            return _SPARE

    def begin(self, slot: int, label: str, request_id: str) -> None:
        """Note that the thread is in a call; costs a fraction of a microsecond."""
        self._memory[slot : slot + _SIZE] = _padded(label) + _pad(request_id) + _NOBODY

    def note_caller(self, slot: int, credential: str) -> None:
        """Note whose call the thread is in, by the public id of a credential."""
        self._memory[slot + _CALLER : slot + _SIZE] = _padded(credential)

    def end(self, slot: int) -> None:
        self._memory[slot] = 0

    def give_back(self, slot: int) -> None:
        self.end(slot)
        if slot != _SPARE:
            self._free.append(slot)

    def calls(self) -> list[tuple[str, str]]:
        """List the calls that the worker is in, or was when it ended: label and request id."""
        return [(label, request_id) for label, request_id, _ in self._read()]

    def callers(self, label: str) -> frozenset[str]:
        """List whose calls of this label it is in: ids of credentials, "" for an unknown one."""
        return frozenset(caller for found, _, caller in self._read() if found == label)

    def _read(self) -> Iterator[tuple[str, str, str]]:
        for at in range(0, _SPARE, _SIZE):
            slot = self._memory[at : at + _SIZE]
            if slot[0]:
                yield _text(slot[:_TEXT]), _text(slot[_TEXT:_CALLER]), _text(slot[_CALLER:])


_NOBODY = b"\0" * _TEXT


def _pad(text: str) -> bytes:
    return text.encode(errors="replace")[:_TEXT].ljust(_TEXT, b"\0")


_padded = lru_cache(maxsize=4096)(_pad)  # of names of methods and credentials, which are few


def _text(padded: bytes) -> str:
    return padded.rstrip(b"\0").decode(errors="replace")
