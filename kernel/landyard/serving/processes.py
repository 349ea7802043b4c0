"""Forks worker processes, exchanges JSON messages with them, and reads their health and end."""

import ctypes
import gc
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from msgspec import Struct, field

from landyard.serving.scoreboard import Scoreboard
from landyard.storage.group_commit import WriteLock

log = structlog.get_logger()

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
"""The signals that a supervisor takes."""


class Health(Struct, frozen=True):
    """How a worker fares. Moments are monotonic seconds, the same in all processes; 0.0 is never.

    `turned_at`: when its event loop turned last. `over_limit_since`: since when a call of the
    method `over_limit` has been over its time limit. `lock`: who has the turn to write, and waits.
    """

    turned_at: float = 0.0
    over_limit_since: float = 0.0
    over_limit: str = ""
    lock: WriteLock = WriteLock()


class Message(Struct, frozen=True, array_like=True):
    """A line between a worker and its supervisor: a word, what it is about, and a detail.

    A worker is `loading` a plugin, or none any more; the detail is whether it may wait for others
    meanwhile. It has `failed` to start with this text, or is `ready`, and then tells of its
    `health`. It asks for a `replace`ment for a reason. A call of a suspected method has `finished`.
    A trial says which plugins are `left_out`, with their reasons.

    The supervisor makes a caller's calls of a method a `suspect`, says that a method's circuit
    breaker is to `open` after so many deaths, has the method `refuse` a caller for so many seconds,
    and tells the worker to `stop` for a reason within so many seconds.
    """

    word: str
    about: str = ""
    detail: Any = None


class Link:
    """One end of the line between a worker and its supervisor."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._begun = b""
        self.fileno = end.fileno
        self.close = end.close

    def send(self, word: str, about: str = "", detail: Any = None) -> None:
        """Send a message; it is lost where the other side is gone, or does not read."""
        with suppress(OSError):
            self._end.sendall(msgspec.json.encode(Message(word, about, detail)) + b"\n")

    def receive(self) -> list[Message] | None:
        """Return the messages that have come; None when the other side is gone."""
        try:
            came = self._end.recv(1 << 20)
        except BlockingIOError:
            return []
        except OSError:
            return None
        *lines, self._begun = (self._begun + came).split(b"\n")
        return [msgspec.json.decode(line, type=Message) for line in lines] if came else None


class Child(Struct, eq=False):
    """A worker process as its supervisor knows it. Moments are monotonic seconds; 0.0 is never.

    `replaces`: the worker that stops when this one is ready. `end_by`: when it is killed, once it
    was told to stop.
    """

    pid: int
    link: Link
    scoreboard: Scoreboard
    replaces: "Child | None" = None
    loading: str = ""  # the plugin, while it loads one
    loading_since: float = field(default_factory=time.monotonic)
    may_wait: bool = True  # for the database: while it loads none, or makes a plugin's tables
    failed: str = ""  # why it could not start
    ready: bool = False  # it has begun to accept calls
    stale: bool = False  # a reload came while it started: it may have read the old settings
    health: Health = Health()
    fault: str = ""  # why it is to be replaced
    end_by: float = 0.0

    @property
    def serves(self) -> bool:
        """Whether it accepts calls, and was not told to stop."""
        return self.ready and not self.end_by

    def calls(self) -> list[str]:
        """List the calls that it is in, or was when it ended: the method, and the request id."""
        return [" ".join(filter(None, call)) for call in self.scoreboard.calls()]

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)  # it is there, at least as a zombie, until `status` has seen it

    def stop(self, grace: float) -> None:
        """Tell the process to stop within `grace` seconds; while it starts there is no grace."""
        self.end_by = time.monotonic() + grace + 1.0
        if self.ready:
            self.link.send("stop", self.fault, grace)
        else:
            self.kill(signal.SIGTERM)

    def status(self) -> int | None:
        """Answer how the process has ended: its exit code, or minus the signal; None if it runs."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None


def fork(work: Callable[[Link, Scoreboard], object], let_go: Callable[[], object]) -> Child:
    """Do `work` in a child process, which ends with it.

    The child first lets go of what is its parent's alone. No other thread may run in the parent.
    """
    scoreboard = Scoreboard()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    # A collection in the child would write to each object of its parent, and so copy all of them.
    gc.freeze()
    # A signal to the child before it has handlers of its own would be taken for one to the parent.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if sys.platform == "linux":  # elsewhere it ends when it reads that its parent is gone
                ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            ours.close()
            let_go()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all of a group
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            work(Link(theirs), scoreboard)
            status = 0
        except BaseException:
            log.exception("process_crashed", pid=os.getpid())
        finally:
            leave(status)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    theirs.close()
    return Child(pid, Link(ours), scoreboard)


def leave(status: int) -> None:
    """End this process at once: no thread of it is waited for."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
