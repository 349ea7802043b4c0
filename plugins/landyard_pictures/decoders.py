"""The pool of child processes that decode pictures; a failing one is killed and replaced.

A hostile picture may control its decoder, so replies are limited in size and checked.
"""

import atexit
import os
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

from landyard_pictures.decode.exchange import (
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
from landyard_pictures.decode.kinds import EXTENSIONS
from landyard_pictures.upload_errors import FileError
from landyard_pictures.upload_settings import UploadSettings

log = structlog.get_logger()

_PICTURES = 4_000  # a decoder is replaced after so many, in case it leaks memory
# Factors of the processor time: the clock time for a picture, and for a free decoder.
_PATIENCE = 6
_QUEUE = 3
_START = 60.0  # seconds, on a busy machine
_MORE = 4096  # bytes of a reply besides the picture
_FIRST, _CHUNK = 16 * 1024, 1024 * 1024  # bytes received at once; most replies are short
_LONGEST = 200  # characters of a decoder's error text
_BROKEN = "The picture takes too much memory or time to decode, or is broken."
_Answer = TypeVar("_Answer", Made, Varied)
# The package `decode` is started as itself, beside this module: as `landyard_pictures.decode` it
# would load the kernel and the database. It gets this process's import paths, and needs no `site`.
_COMMAND = (sys.executable, "-sSP", "-m", "decode.decoder")


class Decoders:
    """A pool of decoders shared by threads; each is started when first needed."""

    def __init__(self, count: int, seconds: float, megabytes: int) -> None:
        """A picture may take `seconds` of processor time and `megabytes` of memory.

        By the clock it may take six times as long, because decoders have a lower priority.
        """
        self._seconds = seconds
        self._megabytes = megabytes
        # The only queue written in C. The decoder that was idle last is used first.
        self._turns: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._idle: list[_Decoder] = []
        for _ in range(count):
            self._turns.put(None)

    def made(self, task: Task) -> Made:
        """Return the resulting picture; raises `FileError` if it is refused."""
        return self._answered(task, Made)

    def varied(self, task: Task) -> Varied:
        """Return a picture's size and variants; raises `FileError` if it cannot be decoded."""
        return self._answered(task, Varied)

    def _answered(self, task: Task, kind: type[_Answer]) -> _Answer:
        try:
            self._turns.get(timeout=_QUEUE * self._seconds)
        except queue.Empty:
            raise FileError("Too many pictures are being decoded; try again later.") from None
        decoder: _Decoder | None = None
        try:
            with suppress(IndexError):
                decoder = self._idle.pop()
            if decoder is None or not decoder.takes(task):
                decoder = _Decoder(self._seconds, self._megabytes)
                if not decoder.takes(task):
                    raise FileError(_BROKEN)
            answer = decoder.answer(task)
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
        """End the idle decoders."""
        while self._idle:
            self._idle.pop().end()


class _Decoder:
    """One child process, until it fails or has decoded its share of pictures."""

    def __init__(self, seconds: float, megabytes: int) -> None:
        self._asked = 0
        self._seconds = seconds
        self._socket, theirs = socket.socketpair()
        # A socket with a time limit releases the interpreter's lock twice for each operation and
        # waits to get it back; meanwhile all other uploads wait for this decoder.
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._deadline = time.monotonic() + _START
        paths = [path for path in sys.path if Path(path).is_absolute()]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - nothing in it comes from a caller
                [*_COMMAND, str(seconds), str(megabytes)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *paths])},
                process_group=0,  # Ctrl-C is for the service, which ends its decoders itself
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
        """Whether the process is known to have ended; `takes` checks it."""
        return self._process.returncode is not None

    def takes(self, task: Task) -> bool:
        """Send a task; False if the process has ended since the last one."""
        self._asked += 1
        self._deadline = time.monotonic() + _PATIENCE * self._seconds
        try:
            self._send(head_of(task), task.content)
        except TimeoutError:  # reported by `answer`
            pass
        except OSError:
            self.end()
            return False
        return True

    def answer(self, task: Task) -> Reply:
        """Return the reply to the task; raises `FileError` if it takes too much time or memory."""
        try:
            answer = self._answer(task)
        except TimeoutError as late:
            self.end()
            raise FileError(f"The picture takes more than {self._seconds:g} s to decode.") from late
        except (OSError, msgspec.MsgspecError) as gone:
            self.end()
            raise FileError(_BROKEN) from gone
        if self._asked >= _PICTURES:
            self.end()
        return answer

    def _answer(self, task: Task) -> Reply:
        answer = reply(self._received(task.most_bytes + _MORE))
        kinds = EXTENSIONS.keys() - (set() if task.allow_svg else {"SVG"})
        if isinstance(answer, Made) and answer.kind not in kinds:
            raise ConnectionAbortedError
        if isinstance(answer, Varied) and not (task.widths and _fits(answer, task)):
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
        """Return the single message of a reply; further bytes are an error."""
        received, whole = bytearray(), LENGTH
        while len(received) < whole:
            self._wait(select.POLLIN)
            chunk = self._socket.recv(_CHUNK if received else _FIRST)
            if not chunk:
                raise ConnectionResetError
            received += chunk
            if len(received) >= LENGTH:
                whole = LENGTH + int.from_bytes(received[:LENGTH], "big")
                if not len(received) <= whole <= LENGTH + most:
                    raise ConnectionAbortedError
        return memoryview(received)[LENGTH:]

    def _wait(self, event: int) -> None:
        """Wait until the socket is ready for an event; raises `TimeoutError`."""
        self._poll.register(self._socket, event)
        left = self._deadline - time.monotonic()
        if left <= 0 or not self._poll.poll(left * 1000):
            raise TimeoutError


def _fits(answer: Varied, task: Task) -> bool:
    """Tell whether the variants are possible answers to the task, each once."""
    variants = {(each.width, each.kind) for each in answer.variants}
    most = max(task.widths)
    return (
        len(variants) == len(answer.variants) <= (len(task.widths) + 1) * len(task.kinds)
        and {kind for _, kind in variants} <= {*task.kinds}
        and all(0 < width <= min(most, answer.width) for width, _ in variants)
        and 0 < answer.width <= task.megapixels * 1_000_000
        and 0 < answer.height <= task.megapixels * 1_000_000
    )


_lock = threading.Lock()
_all: dict[tuple[int, float, int], Decoders] = {}


def decoders(settings: UploadSettings) -> Decoders:
    """Return this process's pool; kernels with the same settings share it.

    Decoders are independent of a kernel, so a test process with hundreds of kernels has few.
    """
    with _lock:
        key = (settings.decoders, settings.decode_seconds, settings.decode_megabytes)
        if key not in _all:
            _all[key] = Decoders(*key)
            atexit.register(_all[key].close)
        return _all[key]
