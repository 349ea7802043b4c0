"""Starts Python programs by forking a process that has already imported Landyard.

A program behaves the same, and saves the second that importing libraries takes. Plugins and the
modules that only a worker imports are not imported beforehand.
"""

import contextlib
import functools
import gc
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import msgspec
from msgspec import Struct

_MOST = 1 << 18  # bytes of a request; the environment is the largest part


class Start(Struct, frozen=True):
    """The program to start: a script with its arguments, its folder, and its environment."""

    words: list[str]
    folder: str
    variables: dict[str, str]


class Program:
    """A started program, used like a `subprocess.Popen`."""

    def __init__(self, start: Start, files: Sequence[int]) -> None:
        """Start it with these files as its standard input, output and error."""
        self._words = start.words
        self._turn = threading.Lock()
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(_address())
        socket.send_fds(self._connection, [msgspec.json.encode(start)], files)
        self.pid = int(self._connection.recv(64))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        return self._status(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, at most this many seconds; return its status."""
        status = self._status(timeout)
        if status is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self._words, timeout)
        return status

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended just now
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _status(self, seconds: float | None) -> int | None:
        with self._turn:
            if self.returncode is None and select.select([self._connection], [], [], seconds)[0]:
                self.returncode = int(self._connection.recv(64))
                self._connection.close()
        return self.returncode


Started: TypeAlias = "Program | subprocess.Popen[bytes]"


def start(
    words: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    *files: IO[bytes],
) -> Started:
    """Start a program; a script of this interpreter is forked.

    The files are its standard input, output and error.
    """
    script = [*words[1:]] if words[0] == sys.executable else [*words]
    ours = Path(words[0]).parent == Path(sys.executable).parent and not script[0].startswith("-")
    if sys.platform != "linux" or not ours:  # other systems do not support such sockets
        given, out, err = files
        return subprocess.Popen(words, cwd=cwd, env=env, stdin=given, stdout=out, stderr=err)
    return Program(Start(script, str(cwd), dict(env)), [each.fileno() for each in files])


def stand_in(script: Path, folder: Path) -> None:
    """Write a program of this name to `folder` for shells; it runs the script by a fork."""
    program = folder / script.name
    program.write_text(_STAND_IN.format(sys.executable, address=_address(), script=str(script)))
    program.chmod(0o755)


_STAND_IN = """#!{0} -IS
import json, os, socket, sys

connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
connection.connect({address!r})
told = dict(words=[{script!r}, *sys.argv[1:]], folder=os.getcwd(), variables=dict(os.environ))
socket.send_fds(connection, [json.dumps(told).encode()], [0, 1, 2])
connection.recv(64)
sys.exit(int(connection.recv(64)))
"""


@functools.cache
def _address() -> str:
    """Start the process that forks; it ends with this one."""
    address = f"\0landyard-tests-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(16)
        words, files = [sys.executable, __file__, str(listener.fileno())], [listener.fileno()]
        _keep.append(subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=files))
    return address


_keep: list[Any] = []
_FIRST = dict(os.environ)


# ------------------------------------------------------- the process that forks


def _serve(listener: socket.socket) -> None:
    """Fork for each request until the tests have ended; only the first process returns."""
    parent = os.dup(0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    gc.freeze()
    while True:
        ready, _, _ = select.select([listener.fileno(), parent], [], [])
        if parent in ready:
            return
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            os.close(parent)
            _attend(connection)
            return
        connection.close()


def _attend(connection: socket.socket) -> None:
    """Run the requested program in a child of this process, and send its pid and its status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told, files, _, _ = socket.recv_fds(connection, _MOST, 3)
    pid = os.fork()
    if pid == 0:
        connection.close()
        _become(msgspec.json.decode(told, type=Start), files)
        return
    for each in files:
        os.close(each)
    connection.send(str(pid).encode())
    _, status = os.waitpid(pid, 0)
    connection.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(asked: Start, files: Sequence[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(asked.folder)
    for name in _FIRST.keys() - asked.variables.keys():  # variables that importing has set stay
        del os.environ[name]
    os.environ.update(asked.variables)
    sys.argv = asked.words
    script = Path(asked.words[0])
    before = [each for each in asked.variables.get("PYTHONPATH", "").split(os.pathsep) if each]
    sys.path[:1] = [str(script.absolute().parent), *before]
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    from landyard.cli.serving import preload

    preload()
    _serve(socket.socket(fileno=int(sys.argv[1])))
