"""The flight recorder: which plugins' code was running when a worker process died.

A file of each process, in its memory as well, notes for every thread whose code runs there. The
system keeps what was noted when the process is gone, however it went, and the lock on the file
goes with the process: what can be locked is the record of a dead one.
"""

import fcntl
import mmap
import os
import secrets
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from msgspec import Struct

log = structlog.get_logger()

_CELLS = 512  # threads at once
_PLUGINS = 1024
_NAME = 120  # bytes
_MAGIC = b"landyard flight 1\n".ljust(32, b"\0")
_COUNTS_AT = len(_MAGIC)
_CELLS_AT = _COUNTS_AT + 8 * _PLUGINS
_NAMES_AT = _CELLS_AT + 4 * _CELLS
_SIZE = _NAMES_AT + _NAME * _PLUGINS
_NEW = ".new-"
_SEVERAL = 8


class Death(Struct, frozen=True):
    """A process that died with these plugins' code running, the likeliest cause first.

    Of several it is the one that had begun the fewest calls there: one whose calls kill has none
    behind it, one whose calls happened to be under way has many. `sure` is that where it was alone,
    or all others had begun several times as many.
    """

    pid: int
    suspects: tuple[str, ...] = ()
    sure: bool = False

    @property
    def likeliest(self) -> str:
        """The first of them; nothing where no plugin's code ran."""
        return self.suspects[0] if self.suspects else ""


class Cell:
    """The place of one thread in the record; see `Seat.take` for who writes there."""

    __slots__ = ("at", "cells", "counts", "numbers")

    def __init__(
        self,
        numbers: dict[str, int],
        cells: "memoryview[int]",
        counts: "memoryview[int]",
        at: int,
    ) -> None:
        self.numbers = numbers
        self.cells = cells
        self.counts = counts
        self.at = at


class Recorder:
    """The record of this process; where none can be written, it goes on without."""

    def __init__(self, folder: Path) -> None:
        """Begin the record, in a file of its own in `folder`."""
        self._lock = threading.Lock()
        self._path: Path | None = None
        try:
            self._file, self._path = _begin(folder)
            self._map = mmap.mmap(self._file, _SIZE)
        except OSError as error:
            log.warning("recorder_missing", folder=str(folder), error=type(error).__name__)
            self._map = mmap.mmap(-1, _SIZE)
        view = memoryview(self._map)
        self._counts = view[_COUNTS_AT:_CELLS_AT].cast("Q")
        self._cells = view[_CELLS_AT:_NAMES_AT].cast("I")
        self._numbers = _Numbers(self._map)
        self._free = list(range(_CELLS - 1, 0, -1))  # the last is for those who find no other

    def cell(self) -> Cell:
        """Return a place for a thread; `free` it when the thread ends."""
        with self._lock:
            at = self._free.pop() if self._free else 0
        return Cell(self._numbers, self._cells, self._counts, at)

    def free(self, cell: Cell) -> None:
        """Take a place back."""
        cell.cells[cell.at] = 0
        if cell.at:
            with self._lock:
                self._free.append(cell.at)

    @contextmanager
    def during(self, plugin: str) -> Iterator[None]:
        """Surround work of a plugin outside of the calls, such as its import."""
        cell = self.cell()
        number = self._numbers[plugin]
        self._cells[cell.at] = number
        self._counts[number] += 1
        try:
            yield
        finally:
            self.free(cell)

    def close(self) -> None:
        """End the record of a process that ends well. What still notes in it, notes for nobody."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._path = None


class _Numbers(dict[str, int]):
    """The number of each plugin, given when it is first asked for; 0 is the kernel's."""

    def __init__(self, record: mmap.mmap) -> None:
        super().__init__({"": 0})
        self._record = record
        self._giving = threading.Lock()

    def __missing__(self, plugin: str) -> int:
        with self._giving:
            if plugin in self:
                return self[plugin]
            number = len(self)
            if number >= _PLUGINS:
                return 0  # beyond what there is room for nothing is noted
            start = _NAMES_AT + number * _NAME
            name = plugin.encode()[:_NAME]
            self._record[start : start + len(name)] = name
            self[plugin] = number
            return number


def suspects(folder: Path, *, of: str = "") -> list[Death]:
    """Say which processes have died without closing their record, and remove those records.

    Of several who ask at once one is told of each. Where only those are wanted whose likeliest
    cause begins with `of`, the records of others stay.
    """
    deaths = []
    for path in sorted(folder.glob("[0-9]*")):
        try:
            death = _take(path, of)
        except OSError as error:
            log.warning("record_unreadable", record=path.name, error=type(error).__name__)
        else:
            deaths += [] if death is None else [death]
    return deaths


def _begin(folder: Path) -> tuple[int, Path]:
    """Make a file that is locked before anybody can find it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A process of the same number may have died before, and its record is still to be read.
    name = f"{os.getpid()}-{secrets.token_hex(4)}"
    new, path = folder / f"{_NEW}{name}", folder / name
    file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Written, not only sized: a full disk is found out here, and not by a store into memory.
        os.pwrite(file, _MAGIC.ljust(_SIZE, b"\0"), 0)
        new.rename(path)
    except BaseException:
        os.close(file)
        new.unlink(missing_ok=True)
        raise
    return file, path


def _take(path: Path, of: str) -> Death | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(file).st_nlink == 0:
            return None  # somebody else has had it
        record = os.pread(file, _SIZE, 0)
        running, sure = _running(record) if record.startswith(_MAGIC) else ((), False)
        death = Death(int(path.name.partition("-")[0]), running, sure)
        if not death.likeliest.startswith(of):
            return None
        path.unlink()
    except BlockingIOError:
        return None  # its process lives
    finally:
        os.close(file)
    return death


def _running(record: bytes) -> tuple[tuple[str, ...], bool]:
    cells = struct.unpack_from(f"={_CELLS}I", record, _CELLS_AT)
    counts = struct.unpack_from(f"={_PLUGINS}Q", record, _COUNTS_AT)
    running = sorted(
        {number for number in cells if 0 < number < _PLUGINS},
        key=lambda number: (counts[number], -number),
    )
    names = tuple(
        record[_NAMES_AT + number * _NAME :][:_NAME].rstrip(b"\0").decode(errors="replace")
        for number in running
    )
    begun = [counts[number] for number in running[:2]]
    return names, len(begun) == 1 or (len(begun) == 2 and begun[1] >= _SEVERAL * begun[0])
