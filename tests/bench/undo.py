"""The cost of the undo journal for an edit: two servers are compared, one of them without it."""

import statistics
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count

from bench import servers
from bench.contest import Bench, Contest
from bench.costs import edit
from bench.databases import SERVER, database, is_there
from bench.figures import Figure, figure
from bench.scenarios import LARGE_EDIT
from bench.sending import post, send_all
from bench.world import world

UNDO_BAR = 1.10
# The difference is about a tenth, and a shared machine varies by more from second to second. The
# servers therefore take many short turns.
_FIGURES, _TURNS, _CALLS = 5, 16, 100
_OTHER = "without"
_numbers = count(1_000_000)


def undo(bench: Bench) -> list[Figure]:
    """Measure the processor time of `updatenodes` of 10 kB with and without the journal."""
    figures = []
    for name, url in _urls():
        costs: dict[str, list[float]] = {}
        with _served(bench, name, url) as running:
            for _ in range(max(_FIGURES, bench.rounds) + 1):
                for who, cost in _costs(running).items():
                    costs.setdefault(who, []).append(cost)
        ours, theirs = costs["landyard"][1:], costs[_OTHER][1:]  # the first turns warm up
        ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
        note = f"{statistics.median(ours):.0f} us, {statistics.median(theirs):.0f} us"
        what = f"{LARGE_EDIT.title} with undo, of without, on {name}"
        figures.append(figure(f"undo/{name}", what, ratios, bar=UNDO_BAR, at_most=True, note=note))
    return figures


def _costs(running: Contest) -> dict[str, float]:
    """Return the processor microseconds per call, by server."""
    used = dict.fromkeys(running.ports, 0.0)
    for turn in range(_TURNS):
        for who, port in sorted(running.ports.items(), reverse=bool(turn % 2)):
            requests = [
                post(LARGE_EDIT.path, edit(LARGE_EDIT, next(_numbers))) for _ in range(_CALLS)
            ]
            before = servers.processor(running.pids[who])
            send_all(port, requests)
            used[who] += servers.processor(running.pids[who]) - before
    return {who: seconds / _TURNS / _CALLS * 1e6 for who, seconds in used.items()}


def _urls() -> Iterator[tuple[str, str]]:
    yield "SQLite", ""
    server = SERVER.replace("postgresql+psycopg://", "postgresql://")
    if is_there(server):
        yield "PostgreSQL", server


@contextmanager
def _served(bench: Bench, name: str, server: str) -> Iterator[Contest]:
    """Serve the same world twice, each from a database of its own."""
    ports: dict[str, int] = {}
    pids: dict[str, int] = {}
    with ExitStack() as stack:
        for who, more in (("landyard", {}), (_OTHER, {"LANDYARD_PLUGINS__OFF": '["undo"]'})):
            url = stack.enter_context(database(server)) if server else ""
            data = bench.folder / f"undo-{name}-{who}"
            servers.prepare(data, world(), url)
            env = {**bench.env, **more, "LANDYARD_DATA": str(data), "LANDYARD_DATABASE_URL": url}
            serving = servers.serving(bench.cores, bench.folder, env)
            ports[who], pids[who] = stack.enter_context(serving)
        yield Contest(ports, pids)
