"""What the journal of undo costs an edit: two kernels in this process, one of them without it.

`python tests/bench/undo.py [CALLS]` prints the processor time of both; `make bench` has the ratio.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.answers import require
from bench.contest import Bench
from bench.databases import SERVER, database, is_there
from bench.figures import Figure, figure
from bench.scenarios import LARGE_EDIT
from bench.servers import prepare
from bench.world import CODE, USER, world

from landyard import Kernel, Request, Settings, Success
from landyard.core.calls import Credential
from landyard.logs import configure

UNDO_BAR = 1.10
CALLS = 400  # of a round, with and without by turns
_WARM = 50
_OFF: dict[str, dict[str, Any]] = {"plugins": {"off": ["undo"]}}
Took = dict[bool, list[float]]  # microseconds of each call, with the journal and without


def undo(bench: Bench) -> list[Figure]:
    """Measure `updatenodes` of a block of 10 kB with the journal, of without."""
    figures = []
    for name, url in _urls():
        with _kernels(bench.folder / name, url) as kernels:
            rounds = [_measure(kernels, CALLS) for _ in range(bench.rounds)]
        ratios = [median(took[True]) / median(took[False]) for took in rounds]
        what = f"{LARGE_EDIT.title} with undo, of without, on {name}"
        figures.append(figure(f"undo/{name}", what, ratios, bar=UNDO_BAR, at_most=True))
    return figures


def main() -> None:
    """Print the processor time of both on each database; on PostgreSQL the server's, too."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    for name, url in _urls():
        with tempfile.TemporaryDirectory() as folder, _kernels(Path(folder), url) as kernels:
            _tell(name, _measure(kernels, calls))
            if url:
                _tell("PostgreSQL's server", _measure(kernels, calls, of_server=True))


def _tell(name: str, took: Took) -> None:
    for how, of in (("median", median), ("minimum", min)):
        off, on = of(took[False]), of(took[True])
        print(f"{name}: {how} {off:.0f} us without, {on:.0f} us with: {on / off - 1:+.1%}")


def _urls() -> Iterator[tuple[str, str]]:
    yield "SQLite", ""
    server = SERVER.replace("postgresql+psycopg://", "postgresql://")
    if is_there(server):
        yield "PostgreSQL", server


@contextmanager
def _kernels(folder: Path, server: str) -> Iterator[dict[bool, Kernel]]:
    configure("warning", "console")
    with ExitStack() as stack:
        kernels = {}
        for on in (True, False):
            url = stack.enter_context(database(server)) if server else ""
            data = folder / f"undo-{on}"
            data.parent.mkdir(exist_ok=True)
            prepare(data, world(), url)
            settings = Settings(data=data, database_url=url, plugins={} if on else _OFF)
            kernels[on] = stack.enter_context(closing(Kernel(settings)))
        _measure(kernels, _WARM)
        yield kernels


def _measure(kernels: dict[bool, Kernel], calls: int, *, of_server: bool = False) -> Took:
    took: Took = {True: [], False: []}
    for number in range(calls):
        # Who comes first changes from call to call.
        for on in (True, False) if number % 2 else (False, True):
            began = _server_time(kernels[on]) if of_server else time.thread_time()
            _edit(kernels[on])
            ended = _server_time(kernels[on]) if of_server else time.thread_time()
            took[on].append((ended - began) * 1e6)
    return took


def _edit(kernel: Kernel) -> None:
    params: dict[str, Any] = dict(LARGE_EDIT.params or {})
    stamp = str(time.monotonic_ns())
    params["data"] = dict.fromkeys(params["data"], f"{LARGE_EDIT.counted}{stamp}")
    method = LARGE_EDIT.path.rpartition("/")[2].removesuffix(".json")
    reply = kernel.dispatch(
        Request(method, params, Credential("webhook", CODE, str(USER)), id=stamp)
    )
    require(isinstance(reply, Success), f"{method}: {reply}")


def _server_time(kernel: Kernel) -> float:
    """Return the seconds of a processor that the session has taken; Linux tells them."""
    with kernel.store.unit(writes=True) as unit:
        driver: Any = unit.connection.connection.driver_connection
        pid = driver.info.backend_pid
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
