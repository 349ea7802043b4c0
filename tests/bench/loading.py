"""`landyard load` of ten thousand pages of two blocks."""

import resource
import subprocess
import sys
import time
from pathlib import Path

from bench.contest import Bench
from bench.figures import Figure, figure
from bench.worlds import BLOCKS, write

LOAD_BAR = 6.0  # seconds
PAGES = 10_000


def loading(bench: Bench) -> list[Figure]:
    """Measure one load; it takes long enough."""
    given, data = bench.folder / "loaded.json", bench.folder / "loaded"
    write(given, PAGES)
    program = Path(sys.executable).with_name("landyard")
    command = [*bench.cores.server, str(program), "load", str(given)]
    began, used = time.perf_counter(), _used()
    subprocess.run(
        command,
        env={**bench.env, "LANDYARD_DATA": str(data)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    took = time.perf_counter() - began
    note = f"{_used() - used:.1f} s of processor time"
    what = f"load of {PAGES:,} pages of {BLOCKS} blocks"
    return [figure("load", what, [took], "s", LOAD_BAR, at_most=True, note=note)]


def _used() -> float:
    """Return the processor time of child processes that have ended."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime
