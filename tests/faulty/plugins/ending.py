"""Ends its process, keeps the interpreter, grows, and keeps the database locked."""

import ctypes
import os
import re
import signal
import sqlite3
from typing import Any

from msgspec import Struct

from landyard import Call, MethodGroup, hookimpl

group = MethodGroup(scope="faulty")
kept: list[Any] = []


class Number(Struct, frozen=True):
    number: int = 0


def _exit(name: str) -> None:
    @group.method(name)
    def end(call: Call, params: Number) -> bool:
        """End the process with a status."""
        os._exit(params.number)


for each in (0, 3, 4, 77, 9):  # each with a circuit breaker of its own
    _exit(f"faulty.exit_{each}")


@group.method("faulty.segfault")
def segfault(call: Call, params: Number) -> bool:
    """Read invalid memory."""
    ctypes.string_at(0)
    return True


@group.method("faulty.kill")
def kill(call: Call, params: Number) -> bool:
    """Be killed, as the system kills a process that takes all memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    return True


@group.method("faulty.keep_interpreter")
def keep_interpreter(call: Call, params: Number) -> bool:
    """Match an endless expression in C code that keeps the interpreter's lock."""
    return re.match(r"(a+)+$", "a" * 64 + "!") is not None


@group.method("faulty.grow")
def grow(call: Call, params: Number) -> int:
    """Keep this many megabytes."""
    kept.extend(b"x" * (1 << 20) for _ in range(params.number))  # the event loop goes on meanwhile
    return os.getpid()


@group.method("faulty.lock")
def lock(call: Call, params: Number) -> int:
    """Leave the database locked by a connection of its own."""
    database = os.environ["LANDYARD_DATA"] + "/landyard.db"
    connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA busy_timeout=5000")
    connection.execute("BEGIN IMMEDIATE")
    kept.append(connection)
    return os.getpid()


@hookimpl
def register_methods() -> MethodGroup:
    return group
