"""What the journal of undo costs an edit that is served: two servers, one of them without it."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import msgspec
from bench import servers
from bench.contest import Bench, Contest, measure
from bench.databases import SERVER, database, is_there
from bench.figures import Figure, figure
from bench.load import Measured
from bench.scenarios import LARGE_EDIT
from bench.world import world

UNDO_BAR = 1.10
_ROUNDS = 15  # of a second, or more where more are asked for: a share of a tenth is looked for
_TOGETHER = 5  # rounds, of which the least counts: what else the machine does only adds to a call
_OTHER = "without"
_EDIT = msgspec.structs.replace(LARGE_EDIT, bars={_OTHER: 1 / UNDO_BAR})


def undo(bench: Bench) -> list[Figure]:
    """Measure the processor time of `updatenodes` of 10 kB with the journal, of without."""
    own = msgspec.structs.replace(bench, rounds=max(_ROUNDS, bench.rounds), seconds=1)
    figures = []
    for name, url in _urls():
        with _served(own, name, url) as running:
            row = measure(own, running.ports, _EDIT, running.pids)
        ours, theirs = _least(row.rounds["landyard"]), _least(row.rounds[_OTHER])
        ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
        note = f"{row.cost('landyard'):.0f} us, {row.cost(_OTHER):.0f} us"
        what = f"{LARGE_EDIT.title} with undo, of without, on {name}"
        figures.append(figure(f"undo/{name}", what, ratios, bar=UNDO_BAR, at_most=True, note=note))
    return figures


def _least(rounds: Sequence[Measured]) -> list[float]:
    costs = [each.cost for each in rounds]
    return [min(costs[first : first + _TOGETHER]) for first in range(0, len(costs), _TOGETHER)]


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
