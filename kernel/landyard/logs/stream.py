"""The stream that log lines are written to: it never waits for its reader, and never fails."""

import os
import socket
import stat
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

_MOST = 1 << 16  # bytes of lines that wait for a slow reader


class LogStream:
    """Writes lines to a file descriptor; what cannot be written is lost, and counted.

    A call must not wait for whoever reads the log, nor fail with its disk. Lines that the reader
    has no room for now wait in memory, up to 64 KiB, and go ahead of the next ones. It has no
    thread: the supervisor forks, and what is written before a crash is out by then.
    """

    def __init__(self, descriptor: int, tell: Callable[[int], str]) -> None:
        """Write to `descriptor`; `tell` makes the line that says how many were lost."""
        self._tell = tell
        self._lock = threading.Lock()
        self._waiting: deque[tuple[bytes, int]] = deque()  # and how many are lost with it
        self._size = 0
        self._lost = 0
        self._start = b""  # of the next line: the one before it, maybe another process's, is torn
        self._write = _unblocked(descriptor)
        self.isatty = lambda: os.isatty(descriptor)
        os.register_at_fork(after_in_child=self._forget)

    def write(self, text: str) -> None:
        """Write one line, which ends with a line break."""
        line = text.encode("utf-8", "backslashreplace")
        with self._lock:
            self._push()
            if self._size + len(line) > _MOST:
                self._lost += 1
                return
            if self._lost and not self._waiting:
                self._add(self._start + self._tell(self._lost).encode(), self._lost)
                self._lost, self._start = 0, b""
            self._add(line, 1)
            self._push()

    def flush(self) -> None:
        """Write what waits, as far as there is room."""
        with self._lock:
            self._push()

    def _add(self, line: bytes, lines: int) -> None:
        self._waiting.append((line, lines))
        self._size += len(line)

    def _push(self) -> None:
        # One write for a line, as far as possible: processes share the stream.
        while self._waiting:
            line, lines = self._waiting[0]
            try:
                written = self._write(line)
            except BlockingIOError:
                return
            except OSError:  # the reader has gone, or the disk is full
                self._lost += sum(lines for _, lines in self._waiting)
                self._waiting.clear()
                self._size, self._start = 0, b"\n"
                return
            self._size -= written
            if written == len(line):
                self._waiting.popleft()
            else:
                self._waiting[0] = line[written:], lines

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._waiting.clear()
        self._size = self._lost = 0


def occupy_standard_streams() -> None:
    """Open what is closed of standard input, output and error.

    The next file to be opened would get its number, and what anybody prints would go there: into
    the database, for one.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _unblocked(descriptor: int) -> Callable[[bytes], int]:
    """Return what writes to a descriptor, or raises `BlockingIOError` instead of waiting.

    The descriptor itself stays as it is: other processes have it, too, a shell for one.
    """
    with suppress(OSError):
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISSOCK(kind):  # the journal's
            end = socket.socket(fileno=os.dup(descriptor))
            return lambda line: end.send(line, socket.MSG_DONTWAIT)
        if not stat.S_ISREG(kind):  # which never waits, and whose position is shared
            flags = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY
            descriptor = os.open(f"/dev/fd/{descriptor}", flags)
    return lambda line: os.write(descriptor, line)
