"""The board: shared memory in which a worker shows its supervisor the calls it is running."""

import mmap
from collections import deque
from functools import lru_cache

SLOTS = 256  # one a thread; a worker has a few dozen
_TEXT = 64  # bytes of a method's name, or of a request id


class Slot:
    """The place of one thread, which notes there what call it is in."""

    def __init__(self, memory: mmap.mmap, start: int) -> None:
        """Use the bytes from `start` on."""
        self._memory = memory
        self._start = start
        self._end = start + 2 * _TEXT

    def begin(self, label: str, request_id: str) -> None:
        """Note that the thread is in a call; costs a fraction of a microsecond."""
        self._memory[self._start : self._end] = _padded(label) + _pad(request_id)

    def end(self) -> None:
        """Note that the thread is in no call any more."""
        self._memory[self._start] = 0


class Board:
    """Shared memory of a worker and its supervisor, made before the worker is forked.

    The worker writes, the supervisor reads, also after the worker's death. Nothing is locked: a
    name that is read while it is written may be half of each, and is a hint.
    """

    def __init__(self) -> None:
        """Take the memory; it is empty."""
        self._memory = mmap.mmap(-1, (SLOTS + 1) * 2 * _TEXT)
        starts = range(0, len(self._memory), 2 * _TEXT)
        *slots, self._spare = (Slot(self._memory, start) for start in starts)
        self._free = deque(slots)

    def take_slot(self) -> Slot:
        """Take a place for this thread. When there is none, what is noted in it is not shown."""
        try:
            return self._free.popleft()
        except IndexError:
            return self._spare

    def give_back(self, slot: Slot) -> None:
        """Leave a place that `take_slot` gave."""
        slot.end()
        if slot is not self._spare:
            self._free.append(slot)

    def calls(self) -> list[tuple[str, str]]:
        """List the calls that the worker is in, or was when it ended: label and request id."""
        slots = (self._memory[at : at + 2 * _TEXT] for at in range(0, SLOTS * 2 * _TEXT, 2 * _TEXT))
        return [(_text(slot[:_TEXT]), _text(slot[_TEXT:])) for slot in slots if slot[0]]


def _pad(text: str) -> bytes:
    return text.encode(errors="replace")[:_TEXT].ljust(_TEXT, b"\0")


_padded = lru_cache(maxsize=4096)(_pad)  # of method names, which are few


def _text(padded: bytes) -> str:
    return padded.rstrip(b"\0").decode(errors="replace")
