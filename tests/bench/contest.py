"""The contest: Landyard and its peers answer the same requests in turn, round by round."""

import statistics
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from bench import answers, servers
from bench.answers import WrongAnswer
from bench.load import Measured, blast
from bench.scenarios import Scenario
from bench.world import PAGE_PATH
from kernel.processes import free_port
from msgspec import Struct

Ports = Mapping[str, int]
"""The port of each server, by name: `landyard`, `before`, `limit`, `twin`, `files`."""


class Row(Struct):
    """The results of one scenario: the rounds of each server."""

    scenario: Scenario
    rounds: dict[str, list[Measured]]

    def ratios(self, peer: str) -> list[float]:
        """Return Landyard's rate divided by the peer's, for each round."""
        pairs = zip(self.rounds["landyard"], self.rounds[peer], strict=True)
        return [ours.per_second / theirs.per_second for ours, theirs in pairs]

    def rate(self, server: str) -> float:
        """Return the median rate."""
        return statistics.median(each.per_second for each in self.rounds[server])

    def note(self, peer: str) -> str:
        """Describe both median rates, and the ratio of processor time per call."""
        text = f"{self.rate('landyard'):,.0f}/s, {self.rate(peer):,.0f}/s"
        ours, theirs = self.cost("landyard"), self.cost(peer)
        if not ours or not theirs:
            return text
        return f"{text}; {ours:.0f} us, {theirs:.0f} us: {theirs / ours:.2f}"

    def cost(self, server: str) -> float:
        """Return the median processor time of a call in microseconds; 0 where it is unknown."""
        return statistics.median(each.cost for each in self.rounds[server])


class Contest(Struct, frozen=True):
    """Running servers: their ports and process ids; Landyard's id is its supervisor's."""

    ports: Ports
    pids: Ports


class Bench(Struct, frozen=True):
    """The environment of every measurement.

    `env` is Landyard's environment. `before` is the checkout of an older Landyard, which is a peer.
    """

    cores: servers.Cores
    folder: Path
    env: Mapping[str, str]
    rounds: int
    seconds: int
    before: Path | None = None


@contextmanager
def contest(bench: Bench, limit_url: str = "") -> Iterator[Contest]:
    """Start Landyard, the raw limit, the twin and Starlette's files; check that they agree.

    With `limit_url`, an empty PostgreSQL database, only Landyard and the raw limit run, and the raw
    limit uses that database.
    """
    folder = bench.folder
    recorded, shop = folder / "recorded.json", folder / "public" / PAGE_PATH.strip("/")
    ports: dict[str, int] = {}
    pids: dict[str, int] = {}
    with ExitStack() as stack:

        def start(name: str, command: list[str], more: Mapping[str, str]) -> None:
            running = stack.enter_context(servers.process(command, folder, {**bench.env, **more}))
            servers.await_answer(ports[name], PAGE_PATH, running)
            pids[name] = running.pid

        ports["landyard"] = free_port()
        start("landyard", servers.landyard(bench.cores, ports["landyard"]), {})
        told = answers.record(ports["landyard"])
        recorded.write_bytes(msgspec.json.encode(told))
        shop.mkdir(parents=True, exist_ok=True)
        (shop / "index.html").write_text(told["page"])
        shared = {
            "BENCH_RECORDED": str(recorded),
            "BENCH_FOLDER": str(shop.parent),
            "BENCH_BASE": f"http://127.0.0.1:{ports['landyard']}",
        }
        if bench.before and not limit_url:
            ports["before"] = free_port()
            data = servers.prepare_older(bench.before, folder / "older", bench.env)
            command = servers.landyard(bench.cores, ports["before"], of=bench.before)
            # It answers with the same addresses, so that its answers can be compared.
            own = {"LANDYARD_DATA": str(data), "LANDYARD_PUBLIC_BASE": shared["BENCH_BASE"]}
            start("before", command, own)
        for name, app in (("limit", "limit"), ("twin", "twin"), ("files", "static")):
            if limit_url and name != "limit":
                continue
            ports[name] = free_port()
            own = {
                "BENCH_DATABASE": limit_url or f"sqlite:///{folder / name}.db",
                "BENCH_FILES": str(folder / f"{name}-files"),
            }
            Path(own["BENCH_FILES"]).mkdir(exist_ok=True)
            command = servers.uvicorn(bench.cores, f"bench.{app}:app", ports[name])
            start(name, command, {**shared, **own})
        _check(ports, told)
        yield Contest(ports, pids)


def measure(
    bench: Bench, ports: Ports, scenario: Scenario, pids: Ports = MappingProxyType({})
) -> Row:
    """Measure the servers in turn, A B C A B C …, so that disturbances of the machine meet all of
    them.
    """

    def once(name: str, port: int) -> Measured:
        before = servers.processor(pids[name]) if name in pids else 0.0
        came = blast(bench.cores.load, bench.folder, scenario, port, bench.seconds)
        if name not in pids:
            return came
        used = servers.processor(pids[name]) - before
        calls = came.per_second * bench.seconds
        return msgspec.structs.replace(came, cost=used / calls * 1e6)

    peers = {name: port for name, port in ports.items() if scenario.asks(name)}
    row = Row(scenario, {name: [] for name in peers})
    for port in peers.values():
        blast(bench.cores.load, bench.folder, scenario, port, 1)
    for number in range(bench.rounds):
        # The first server of a round changes from round to round.
        for name, port in sorted(peers.items(), reverse=bool(number % 2)):
            row.rounds[name].append(once(name, port))
    return row


def _check(ports: Ports, told: Mapping[str, Any]) -> None:
    for name, port in ports.items():
        try:
            if name != "twin":
                answers.check_page(port)
            if name != "files":
                answers.check_calls(port, name, told)
        except WrongAnswer as error:
            raise WrongAnswer(f"{name}: {error}") from error
