"""The contest: Landyard and its peers answer the same, one after the other, round by round."""

import statistics
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from bench import answers, servers
from bench.answers import WrongAnswer
from bench.load import Measured, blast
from bench.scenarios import PAGE_PATH, Scenario
from msgspec import Struct

Ports = Mapping[str, int]
"""Where each of the servers listens, by name: `landyard`, `limit`, `twin`, `files`."""


class Row(Struct):
    """What one scenario came to: each server's rounds."""

    scenario: Scenario
    rounds: dict[str, list[Measured]]

    def ratio(self, peer: str) -> float:
        """Return the median over the rounds of Landyard's rate divided by the peer's."""
        pairs = zip(self.rounds["landyard"], self.rounds[peer], strict=True)
        return statistics.median(ours.per_second / theirs.per_second for ours, theirs in pairs)

    def rate(self, server: str) -> float:
        """Return the median rate."""
        return statistics.median(each.per_second for each in self.rounds[server])


@contextmanager
def contest(
    cores: servers.Cores, folder: Path, env: Mapping[str, str], url: str = ""
) -> Iterator[dict[str, int]]:
    """Start Landyard, the raw limit, the twin and Starlette's files; check that they agree.

    Gives their ports. With the `url` of a PostgreSQL database the raw limit uses that, and there
    are these two alone.
    """
    env = {**env, "LANDYARD_PUBLIC_BASE": "http://127.0.0.1"}
    recorded, shop = folder / "recorded.json", folder / "public" / PAGE_PATH.strip("/")
    ports: dict[str, int] = {}
    with ExitStack() as stack:

        def start(name: str, command: list[str], more: Mapping[str, str]) -> None:
            running = stack.enter_context(servers.process(command, folder, {**env, **more}))
            servers.await_answer(ports[name], PAGE_PATH, running)

        ports["landyard"] = servers.free_port()
        start("landyard", servers.landyard(cores, ports["landyard"]), {})
        told = answers.record(ports["landyard"])
        recorded.write_bytes(msgspec.json.encode(told))
        shop.mkdir(parents=True, exist_ok=True)
        (shop / "index.html").write_text(told["page"])
        kept = {"BENCH_RECORDED": str(recorded), "BENCH_FOLDER": str(shop.parent)}
        for name, app in (("limit", "limit"), ("twin", "twin"), ("files", "static")):
            if url and name != "limit":
                continue
            ports[name] = servers.free_port()
            database = url or f"sqlite:///{folder / name}.db"
            files = folder / f"{name}-files"
            files.mkdir(exist_ok=True)
            more = {**kept, "BENCH_DATABASE": database, "BENCH_FILES": str(files)}
            start(name, servers.uvicorn(cores, f"bench.{app}:app", ports[name]), more)
        for name, port in ports.items():
            try:
                if name in {"landyard", "limit", "files"}:
                    answers.check_page(port)
                if name in {"landyard", "limit", "twin"}:
                    answers.check_calls(port, told)
            except WrongAnswer as error:
                raise WrongAnswer(f"{name}: {error}") from error
        yield ports


def measure(
    cores: servers.Cores,
    folder: Path,
    ports: Ports,
    scenario: Scenario,
    rounds: int,
    seconds: float,
) -> Row:
    """Measure A B C A B C …, so that whatever else the machine does meets all of them."""
    peers = {name: ports[name] for name in ("landyard", *scenario.bars) if name in ports}
    row = Row(scenario, {name: [] for name in peers})
    for port in peers.values():
        blast(cores.load, folder, scenario, port, 1)
    for number in range(rounds):
        # Who comes first in a round changes from round to round.
        for name, port in sorted(peers.items(), reverse=bool(number % 2)):
            row.rounds[name].append(blast(cores.load, folder, scenario, port, seconds))
    return row
