"""The child process that decodes pictures, one after another; it may be killed at any time.

It has no kernel, no database, no settings, and from its first picture on it can open nothing.
"""

import os
import resource
import time
from contextlib import suppress
from math import ceil
from pathlib import Path

from landyard_uploads.decode.exchange import (
    READY,
    Made,
    Refused,
    Reply,
    Task,
    Varied,
    next_task,
    packed,
)
from landyard_uploads.decode.frames import prepare_pillow, recognised
from landyard_uploads.decode.kinds import TAKEN, Unusable, in_megabytes, too_large
from landyard_uploads.decode.location import without_location
from landyard_uploads.decode.resizing import resized
from landyard_uploads.decode.svg import looks_like_svg, safe_svg
from landyard_uploads.decode.variants import varied

_SOCKET = 0  # where a process has its standard input


def serve(seconds: float, megabytes: int) -> None:
    """Answer tasks until the other side is gone."""
    with os.fdopen(_SOCKET, "rb", closefd=False) as asked:
        prepare_pillow()
        _limit(megabytes)
        _send(READY)
        while (given := next_task(asked)) is not None:
            _limit_processor(seconds)
            _send(packed(answered(given)))
            del given  # a decoder that waits has nothing of it


def answered(given: Task) -> Reply:
    """Do a task; raises `MemoryError` alone."""
    try:
        return _varied(given) if given.widths else _made(given)
    except Unusable as unusable:
        return Refused(str(unusable))


def _made(given: Task) -> Made:
    if looks_like_svg(given.content):
        if not given.allow_svg:
            raise Unusable(f"SVG is not taken here. Taken are {TAKEN}.")
        made = Made("SVG", safe_svg(given.content, given.megapixels))
    elif given.box is None:
        made = Made(recognised(given.content, given.megapixels), None)
    else:
        content, kind = resized(given.content, given.box, given.megapixels)
        made = Made(kind, None if content is given.content else content)
    if made.content is None and given.remove_location:
        made = Made(made.kind, without_location(given.content, made.kind))
    if len(made.content or b"") > given.most_bytes:
        raise Unusable(too_large(len(made.content or b""), given.most_bytes))
    return made


def _varied(given: Task) -> Varied:
    made = varied(given.content, given.widths, given.kinds, given.megapixels)
    if sum(len(each.content) for each in made.variants) > given.most_bytes:
        raise Unusable(f"The variants are larger than {in_megabytes(given.most_bytes)}.")
    return made


def _limit(megabytes: int) -> None:
    """Take away what decoding needs not: memory, files, and with them connections and programs."""
    limits = {
        resource.RLIMIT_AS: _address_space() + megabytes * 1024 * 1024,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        # The three that are open are all: everything that is ever imported is imported by now.
        resource.RLIMIT_NOFILE: 3,
    }
    for limit, most in limits.items():
        # Not every system knows every limit; the clock on the other side is there on all of them.
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))


def _limit_processor(seconds: float) -> None:
    """Let the next picture have so much of the processor, also when nobody is left to watch."""
    most = ceil(time.process_time() + seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def _address_space() -> int:
    """Return what this process has taken so far, in bytes; libraries take most of it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _send(message: bytes) -> None:
    left = memoryview(message)
    while left:
        left = left[os.write(_SOCKET, left) :]
