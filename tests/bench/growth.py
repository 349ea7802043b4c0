"""The growth of call times with the number of pages: a million pages compared with a thousand."""

import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from bench.contest import Bench
from bench.figures import Figure, figure
from bench.scenarios import REST
from bench.sending import post, send_all
from bench.servers import serving
from bench.world import TITLE
from bench.worlds import first_block, write

SIZES = (1_000, 1_000_000)
GROWTH_BAR = 1.2
_FIELDS = {"XML_ID": "seen"}
# Calls of a round, one after another. The services take turns of a fraction of a second, because on
# a shared machine a bad half second could otherwise meet only one of them.
_CALLS, _TURNS = 500, 10

Requests = Callable[[int], bytes]
"""Writes the request about a page."""


def growth(bench: Bench) -> list[Figure]:
    """Measure calls about random pages, one at a time, on both services in turn."""
    ratios: dict[str, list[float]] = {name: [] for name in _REQUESTS}
    with ExitStack() as stack:
        ports = {}
        for size in SIZES:
            env = _grown(bench, size)
            ports[size] = stack.enter_context(serving(bench.cores, bench.folder, env))[0]
        for number in range(bench.rounds + 1):
            for name, request in _REQUESTS.items():
                took = _latencies(ports, request)
                if number:  # the first round warms up
                    ratios[name].append(took[SIZES[1]] / took[SIZES[0]])
    return [
        figure(
            f"growth/{name}",
            f"{name} at {SIZES[1]:,} pages, of {SIZES[0]:,}",
            found,
            bar=GROWTH_BAR,
            at_most=True,
        )
        for name, found in ratios.items()
    ]


def _grown(bench: Bench, size: int) -> Mapping[str, str]:
    """Load this many pages from a file that is written page by page."""
    given, data = bench.folder / f"{size}.json", bench.folder / f"grown-{size}"
    env = {**bench.env, "LANDYARD_DATA": str(data)}
    write(given, size, cards=1)
    program = Path(sys.executable).with_name("landyard")
    subprocess.run([program, "load", given], env=env, check=True, stdout=subprocess.DEVNULL)
    given.unlink()
    return env


def _latencies(ports: Mapping[int, int], request: Requests) -> dict[int, float]:
    """Return the seconds that calls about pages take, each page asked for once, by the size."""
    took = dict.fromkeys(SIZES, 0.0)
    pages = {size: random.sample(range(1, size + 1), _CALLS) for size in SIZES}
    for turn in range(_TURNS):
        for size in sorted(SIZES, reverse=bool(turn % 2)):
            # Publishing something empties the page memory of the smaller service too.
            changed = post(f"{REST}/landing.landing.update.json", {"lid": 1, "fields": _FIELDS})
            send_all(ports[size], [changed])
            asked = map(request, pages[size][turn::_TURNS])
            took[size] += 1 / send_all(ports[size], asked, connections=1)[0].per_second
    return took


def _getlist(page: int) -> bytes:
    params = {"lid": page, "params": {"edit_mode": True}}
    return post(f"{REST}/landing.block.getlist.json", params)


def _updatenodes(page: int) -> bytes:
    data = {TITLE: f"Number {random.random()}"}
    params = {"lid": page, "block": first_block(page), "data": data}
    return post(f"{REST}/landing.block.updatenodes.json", params)


def _page(page: int) -> bytes:
    return f"GET /shop/page-{page}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


_REQUESTS: dict[str, Requests] = {
    "getlist": _getlist,
    "updatenodes": _updatenodes,
    "public page": _page,
}
