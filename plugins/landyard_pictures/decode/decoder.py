"""The child process that decodes pictures one after another, and may be killed at any time.

It has no kernel, database or settings, and cannot open files from its first picture on.
"""

import os
import resource
import sys
import time
from contextlib import suppress
from math import ceil
from pathlib import Path

from .exchange import (
    READY,
    Made,
    Refused,
    Reply,
    Task,
    Varied,
    next_task,
    packed,
)
from .frames import prepare_pillow, recognised
from .kinds import TAKEN, Unusable, in_megabytes, too_large
from .metadata_removal import without_location
from .resizing import resized
from .svg import looks_like_svg, safe_svg
from .variants import varied

_NICENESS = 10
_SOCKET = 0  # the file descriptor of standard input


def serve(seconds: float, megabytes: int) -> None:
    """Answer tasks until the other side closes the connection.

    The process has a low priority, and may use all cores: its worker is bound to one and leaves
    little of it.
    """
    os.nice(max(0, _NICENESS - os.nice(0)))
    with suppress(AttributeError, OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with os.fdopen(_SOCKET, "rb", closefd=False) as tasks:
        prepare_pillow()
        _limit(megabytes)
        _send(READY)
        while (task := next_task(tasks)) is not None:
            _limit_processor(seconds)
            _send(packed(reply_to(task)))
            del task  # a waiting decoder must not hold the picture in memory


def reply_to(task: Task) -> Reply:
    """Do a task and return its reply; raises only `MemoryError`."""
    try:
        return _make_variants(task) if task.widths else _make_picture(task)
    except Unusable as unusable:
        return Refused(str(unusable))


def _make_picture(task: Task) -> Made:
    if looks_like_svg(task.content):
        if not task.allow_svg:
            raise Unusable(f"SVG is not accepted here. Accepted are {TAKEN}.")
        made = Made("SVG", safe_svg(task.content, task.megapixels))
    elif task.box is None:
        made = Made(recognised(task.content, task.megapixels), None)
    else:
        content, kind = resized(task.content, task.box, task.megapixels)
        made = Made(kind, None if content is task.content else content)
    if made.content is None and task.remove_location:
        made = Made(made.kind, without_location(task.content, made.kind))
    if len(made.content or b"") > task.most_bytes:
        raise Unusable(too_large(len(made.content or b""), task.most_bytes))
    return made


def _make_variants(task: Task) -> Varied:
    made = varied(task.content, task.widths, task.kinds, task.megapixels)
    if sum(len(each.content) for each in made.variants) > task.most_bytes:
        raise Unusable(f"The variants are larger than {in_megabytes(task.most_bytes)}.")
    return made


def _limit(megabytes: int) -> None:
    """Limit memory, and forbid files, and with them connections and programs."""
    limits = {
        resource.RLIMIT_AS: _address_space() + megabytes * 1024 * 1024,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        # Only the three open files: all imports are done by now.
        resource.RLIMIT_NOFILE: 3,
    }
    for limit, most in limits.items():
        # Not every system has every limit; the parent's clock works on all systems.
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))


def _limit_processor(seconds: float) -> None:
    """Limit the processor time of the next picture, in case the parent is gone."""
    most = ceil(time.process_time() + seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def _address_space() -> int:
    """Return the memory that this process uses so far, in bytes, mostly for libraries."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _send(message: bytes) -> None:
    left = memoryview(message)
    while left:
        left = left[os.write(_SOCKET, left) :]


if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]))
