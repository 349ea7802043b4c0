"""Pins each worker process to a processor core that no other worker uses.

One worker whose threads roam over two cores does half the work of one kept to a core: the
interpreter's lock travels between them.
"""

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path


def claim_core() -> int | None:
    """Keep this process to a core that no other worker holds; None where that is not possible."""
    if hasattr(os, "sched_setaffinity"):
        for core in sorted(os.sched_getaffinity(0)):
            with suppress(OSError):  # it is held; and a worker that roams is slower, and works
                _lock(core)
                for thread in os.listdir("/proc/self/task"):  # noqa: PTH208 - numbers, not paths
                    with suppress(ProcessLookupError):  # one that has ended meanwhile
                        os.sched_setaffinity(int(thread), {core})
                return core
    return None


def _lock(core: int) -> None:
    """Lock a file for the life of the process, for as long as it is open; raises `OSError`."""
    path = Path(tempfile.gettempdir()) / f"landyard-{os.getuid()}-core-{core}.lock"
    lock = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
