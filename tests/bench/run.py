"""`make bench`: Landyard beside plain Litestar and the twin, one core each for server and load."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

# The folder above, as for pytest and mypy: a script finds its own folder only.
sys.path[0] = str(Path(__file__).resolve().parents[1])

import msgspec  # noqa: E402
from bench import lifetime, report, servers  # noqa: E402
from bench.growth import growth  # noqa: E402
from bench.hostile import hostile  # noqa: E402
from bench.load import CONNECTIONS, Measured, blast  # noqa: E402
from bench.many import many  # noqa: E402
from bench.resizing import resizing  # noqa: E402
from bench.scenarios import (  # noqa: E402
    SCENARIOS,
    UPDATENODES,
    WrongAnswer,
    check,
    edit_count,
    record,
)
from bench.world import PAGE_PATH, world  # noqa: E402
from rich.console import Console  # noqa: E402

WARM_UP = 1  # seconds
OTHERS = ("many", "growth", "hostile")
"""What `--only` takes besides the scenarios."""


def main() -> int:
    """Measure, print the table; 1 when something does not answer right, 2 without wrk."""
    options = _options()
    # The table needs a little more than the 80 columns that a pipe is taken for.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    if shutil.which("wrk") is None:
        console.print("The load generator wrk is missing; on Debian: apt-get install wrk")
        return 2
    cores = servers.Cores()
    if cores.caveat():
        console.print(cores.caveat())
    with tempfile.TemporaryDirectory(prefix="landyard-bench-") as folder:
        try:
            findings = _measure(console, cores, Path(folder), options)
        except (WrongAnswer, TimeoutError) as error:
            console.print(f"Not measured: {error}")
            return 1
    report.show(console, findings)
    if options.json:
        options.json.write_bytes(msgspec.json.encode(report.raw(findings)))
    return 0


def _options() -> argparse.Namespace:
    choices = [*(each.name for each in SCENARIOS), *OTHERS]
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    parser.add_argument("--seconds", type=int, default=3, help="how long each time")
    parser.add_argument("--only", action="append", choices=choices)
    parser.add_argument("--json", type=Path, help="write the raw numbers to this file")
    return parser.parse_args()


def _measure(
    console: Console, cores: servers.Cores, folder: Path, options: argparse.Namespace
) -> report.Findings:
    data = folder / "data"
    servers.prepare(data, world())
    env = servers.environment(LANDYARD_DATA=str(data), LANDYARD_LOG_LEVEL="warning")
    console.print("Start and memory …")
    imported = lifetime.import_to_answer(cores, folder, env)
    served = lifetime.serve_to_answer(cores, folder, env)
    sizes = lifetime.memory(cores, folder, env)
    with _all_servers(cores, folder, env) as ports:
        rounds = _interleave(console, cores, folder, ports, options)
    findings = report.Findings(rounds, imported, served, sizes)
    wanted = options.only or OTHERS
    if "many" in wanted:
        console.print("A thousand methods of a hundred plugins …")
        findings.many = many(cores, folder, options.rounds, options.seconds)
    if "growth" in wanted:
        console.print("A hundred times the pages …")
        findings.growth = growth(cores, folder, env, options.rounds, 1)
    if "hostile" in wanted:
        console.print("Pictures, and then downloads that never end and bombs …")
        findings.resizing = resizing()
        findings.hostile = hostile(cores, folder, env)
    return findings


@contextmanager
def _all_servers(
    cores: servers.Cores, folder: Path, env: dict[str, str]
) -> Iterator[dict[str, int]]:
    """Start all three and check that they answer alike; gives their ports."""
    ports = {name: servers.free_port() for name in ("landyard", "plain", "twin")}
    recorded = folder / "recorded.json"
    more = {"BENCH_RECORDED": str(recorded), "BENCH_DATABASE": f"sqlite:///{folder / 'twin.db'}"}
    with ExitStack() as stack:
        ours = servers.landyard(cores, ports["landyard"])
        running = stack.enter_context(servers.process(ours, folder, env))
        servers.await_answer(ports["landyard"], PAGE_PATH, running)
        answers = record(ports["landyard"])
        recorded.write_bytes(msgspec.json.encode(answers))
        for name in ("plain", "twin"):
            theirs = servers.uvicorn(cores, f"bench.{name}:app", ports[name])
            running = stack.enter_context(servers.process(theirs, folder, {**env, **more}))
            servers.await_answer(ports[name], PAGE_PATH, running)
        for name, port in ports.items():
            try:
                check(port, answers, edits=name != "plain")
            except WrongAnswer as error:
                raise WrongAnswer(f"{name}: {error}") from error
        yield ports


def _interleave(
    console: Console,
    cores: servers.Cores,
    folder: Path,
    ports: dict[str, int],
    options: argparse.Namespace,
) -> dict[str, dict[str, list[Measured]]]:
    """Measure A B C A B C …, so that whatever else the machine does meets all of them."""
    wanted = [each for each in SCENARIOS if not options.only or each.name in options.only]
    found: dict[str, dict[str, list[Measured]]] = {}
    for scenario in wanted:
        console.print(
            f"{scenario.title}: {options.rounds} rounds of {options.seconds} s,"
            f" {CONNECTIONS} connections …"
        )
        for port in ports.values():
            blast(cores.load, folder, scenario, port, WARM_UP)
        rounds = found[scenario.name] = {name: [] for name in ports}
        for _ in range(options.rounds):
            for name, port in ports.items():
                rounds[name].append(blast(cores.load, folder, scenario, port, options.seconds))
        if scenario is UPDATENODES:
            for name in ("landyard", "twin"):
                if not edit_count(ports[name]):
                    raise WrongAnswer(f"{name}: the edits are not in the draft")
    return found


if __name__ == "__main__":
    sys.exit(main())
