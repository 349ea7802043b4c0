"""Processor cores: each worker process is kept to one of its own.

One worker whose threads roam over two cores does half the work of one kept to a core: the
interpreter's lock travels between them.
"""

import fcntl
import os
import tempfile
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []  # the lock is the open file: it is held for the life of the process


def claim_core() -> int | None:
    """Keep this process to a core that no other worker holds; None where that is not possible."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    folder = Path(tempfile.gettempdir()) / f"landyard-cores-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            return None  # somebody else's folder: roam rather than trust it
        return _claim(folder)
    except OSError:
        return None  # a worker that roams is slower, and works


def _claim(folder: Path) -> int | None:
    for core in sorted(os.sched_getaffinity(0)):
        lock = (folder / f"{core}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        os.sched_setaffinity(0, {core})
        _held.append(lock)
        return core
    return None
