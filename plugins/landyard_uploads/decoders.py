"""The pool of child processes that decode pictures; one that fails is killed and replaced.

A picture may have taken over its decoder: what a decoder answers is measured and checked.
"""

import atexit
import queue
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
import structlog

from landyard_uploads.decode.exchange import (
    LENGTH,
    READY,
    Made,
    Refused,
    Reply,
    Task,
    Varied,
    head_of,
    reply,
)
from landyard_uploads.decode.kinds import EXTENSIONS
from landyard_uploads.errors import FileError
from landyard_uploads.settings import UploadSettings

log = structlog.get_logger()

_PICTURES = 4_000  # after so many a decoder is replaced, whatever it may have gathered by then
# Times as long as a picture may take of the processor, by the clock: for it, and for a decoder.
_PATIENCE = 6
_QUEUE = 3
_START = 60.0  # seconds; on a machine that is busy otherwise
_MORE = 4096  # bytes of a reply besides the picture
_FIRST, _CHUNK = 16 * 1024, 1024 * 1024  # bytes that are received at once: most replies are short
_LONGEST = 200  # characters of what a decoder says of a picture
_BROKEN = "The picture takes too much memory or time to decode, or is broken."
_Answer = TypeVar("_Answer", Made, Varied)

# The package's own `__init__` would load the kernel, the database and all; a decoder gets a bare
# package in its stead. It is polite from the start, on Linux more so than its thread is, and finds
# what this process found (and so needs no `site`). A worker is kept to one core, which its decoder
# would get little of.
_BOOT = """\
import contextlib, os, sys, types
os.nice(max(0, 10 - os.nice(0)))
with contextlib.suppress(AttributeError, OSError):
    os.sched_setaffinity(0, range(os.cpu_count()))
folder, seconds, megabytes, *sys.path = sys.argv[1:]
sys.modules["landyard_uploads"] = package = types.ModuleType("landyard_uploads")
package.__path__ = [folder]
from landyard_uploads.decode.decoder import serve
serve(float(seconds), int(megabytes))
"""


class Decoders:
    """So many decoders, each started when it is first needed; threads share them."""

    def __init__(self, count: int, seconds: float, megabytes: int) -> None:
        """One picture may take `seconds` of processor time and `megabytes` of memory.

        By the clock it has six times as long: decoders run at a lower priority than calls.
        """
        self._seconds = seconds
        self._megabytes = megabytes
        # Of the queues this one alone is in C; and who was idle last is taken first.
        self._turns: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._idle: list[_Decoder] = []
        for _ in range(count):
            self._turns.put(None)

    def made(self, given: Task) -> Made:
        """Return what becomes of a picture; raises `FileError` when it is not taken."""
        return self._answered(given, Made)

    def varied(self, given: Task) -> Varied:
        """Return a picture's size and variants; raises `FileError` when it cannot be decoded."""
        return self._answered(given, Varied)

    def _answered(self, given: Task, kind: type[_Answer]) -> _Answer:
        try:
            self._turns.get(timeout=_QUEUE * self._seconds)
        except queue.Empty:
            raise FileError("Too many pictures are being decoded; try again later.") from None
        decoder: _Decoder | None = None
        try:
            with suppress(IndexError):
                decoder = self._idle.pop()
            if decoder is None or not decoder.takes(given):
                decoder = _Decoder(self._seconds, self._megabytes)
                if not decoder.takes(given):
                    raise FileError(_BROKEN)
            answer = decoder.answer(given)
        finally:
            if decoder is not None and not decoder.ended:
                self._idle.append(decoder)
            self._turns.put(None)
        if isinstance(answer, Refused):
            raise FileError(answer.problem[:_LONGEST])
        if not isinstance(answer, kind):
            raise FileError(_BROKEN)
        return answer

    def close(self) -> None:
        """End the decoders that have nothing to do."""
        while self._idle:
            self._idle.pop().end()


class _Decoder:
    """One child process, until it fails or has decoded its share of pictures."""

    def __init__(self, seconds: float, megabytes: int) -> None:
        self._asked = 0
        self._seconds = seconds
        self._socket, theirs = socket.socketpair()
        # A socket with a time limit gives the interpreter's lock away twice for each thing it does,
        # and waits to get it back: meanwhile all other uploads wait for this decoder.
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._deadline = time.monotonic() + _START
        folder = str(Path(__file__).parent)
        paths = [path for path in sys.path if Path(path).is_absolute()]
        command = [sys.executable, "-ISc", _BOOT, folder, str(seconds), str(megabytes), *paths]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - nothing in it is a caller's
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                process_group=0,  # an operator's Ctrl-C is for the service, which ends its own
            )
        try:
            self._wait(select.POLLIN)
            if self._socket.recv(len(READY)) != READY:
                raise ConnectionAbortedError
        except OSError as failure:
            self.end()
            log.error("decoder_not_started", status=self._process.returncode)  # noqa: TRY400
            raise RuntimeError("a decoder does not start") from failure

    @property
    def ended(self) -> bool:
        """Whether it is known to have ended; `takes` finds out."""
        return self._process.returncode is not None

    def takes(self, given: Task) -> bool:
        """Hand a task over; False where the process has ended since the one before."""
        self._asked += 1
        self._deadline = time.monotonic() + _PATIENCE * self._seconds
        try:
            self._send(head_of(given), given.content)
        except TimeoutError:  # which `answer` tells
            pass
        except OSError:
            self.end()
            return False
        return True

    def answer(self, given: Task) -> Reply:
        """Return what has become of the task; ends with a `FileError` when it takes too much."""
        try:
            answer = self._answer(given)
        except TimeoutError as late:
            self.end()
            raise FileError(f"The picture takes more than {self._seconds:g} s to decode.") from late
        except (OSError, msgspec.MsgspecError) as gone:
            self.end()
            raise FileError(_BROKEN) from gone
        if self._asked >= _PICTURES:
            self.end()
        return answer

    def _answer(self, given: Task) -> Reply:
        answer = reply(self._received(given.most_bytes + _MORE))
        kinds = EXTENSIONS.keys() - (set() if given.allow_svg else {"SVG"})
        if isinstance(answer, Made) and answer.kind not in kinds:
            raise ConnectionAbortedError
        if isinstance(answer, Varied) and not (given.widths and _fits(answer, given)):
            raise ConnectionAbortedError
        return answer

    def end(self) -> None:
        """Kill the process."""
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def _send(self, head: bytes, content: bytes) -> None:
        left = [memoryview(head), memoryview(content)]
        while left:
            try:
                sent = self._socket.sendmsg(left)
            except BlockingIOError:
                self._wait(select.POLLOUT)
                continue
            while left and sent >= len(left[0]):
                sent -= len(left.pop(0))
            if left:
                left[0] = left[0][sent:]

    def _received(self, most: int) -> memoryview:
        """Return the one message that there is; anything behind it is a lie."""
        found, whole = bytearray(), LENGTH
        while len(found) < whole:
            self._wait(select.POLLIN)
            chunk = self._socket.recv(_CHUNK if found else _FIRST)
            if not chunk:
                raise ConnectionResetError
            found += chunk
            if len(found) >= LENGTH:
                whole = LENGTH + int.from_bytes(found[:LENGTH], "big")
                if not len(found) <= whole <= LENGTH + most:
                    raise ConnectionAbortedError
        return memoryview(found)[LENGTH:]

    def _wait(self, event: int) -> None:
        """Wait until there is something to read, or room to write; raises `TimeoutError`."""
        self._poll.register(self._socket, event)
        left = self._deadline - time.monotonic()
        if left <= 0 or not self._poll.poll(left * 1000):
            raise TimeoutError


def _fits(answer: Varied, given: Task) -> bool:
    """Tell whether variants are those that were asked for, each once."""
    made = {(each.width, each.kind) for each in answer.variants}
    most = max(given.widths)
    return (
        len(made) == len(answer.variants) <= (len(given.widths) + 1) * len(given.kinds)
        and {kind for _, kind in made} <= {*given.kinds}
        and all(0 < width <= min(most, answer.width) for width, _ in made)
        and 0 < answer.width <= given.megapixels * 1_000_000
        and 0 < answer.height <= given.megapixels * 1_000_000
    )


_lock = threading.Lock()
_all: dict[tuple[int, float, int], Decoders] = {}


def decoders(settings: UploadSettings) -> Decoders:
    """Return this process's decoders; kernels of one process with the same settings share them.

    They know nothing of a kernel, and a process of hundreds of them (one that tests) has few.
    """
    with _lock:
        key = (settings.decoders, settings.decode_seconds, settings.decode_megabytes)
        if key not in _all:
            _all[key] = Decoders(*key)
            atexit.register(_all[key].close)
        return _all[key]
