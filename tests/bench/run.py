"""`make bench`: Landyard beside the raw limit and a twin, one core each for server and load."""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# The parent folder is importable for pytest and mypy; a script finds only its own folder.
sys.path[0] = str(Path(__file__).resolve().parents[1])

import msgspec  # noqa: E402
from bench import lifetime, report, servers  # noqa: E402
from bench.answers import WrongAnswer, require_edits  # noqa: E402
from bench.contest import Bench, contest, measure  # noqa: E402
from bench.costs import costs  # noqa: E402
from bench.databases import postgres  # noqa: E402
from bench.figures import Figure, against_peers  # noqa: E402
from bench.first_paint import first_paint  # noqa: E402
from bench.growth import growth  # noqa: E402
from bench.hostile import hostile  # noqa: E402
from bench.loading import loading  # noqa: E402
from bench.many import many  # noqa: E402
from bench.mixed import mixed  # noqa: E402
from bench.proxy import proxy  # noqa: E402
from bench.scenarios import EDITS, LASTING, SCENARIOS, USED_UP  # noqa: E402
from bench.undo import undo  # noqa: E402
from bench.uploading import uploading  # noqa: E402
from bench.used_up import use_up  # noqa: E402
from bench.workers import workers  # noqa: E402
from bench.world import world  # noqa: E402
from msgspec import Struct  # noqa: E402
from rich.console import Console  # noqa: E402

BUSY = 1.0  # processes that run or wait to run when the bench starts
Part = Callable[[Bench], list[Figure]]
PARTS: dict[str, tuple[str, Part]] = {
    "start": ("Start and memory", lifetime.start),
    "nginx": ("The public page against nginx", proxy),
    "mixed": ("Writers and an upload, and who else calls", mixed),
    "workers": ("Two workers", workers),
    "upload": ("A photograph", uploading),
    "cost": ("What a call's parts cost", costs),
    "undo": ("What the journal of undo costs", undo),
    "load": ("Ten thousand pages", loading),
    "postgres": ("PostgreSQL", postgres),
}
LONG: dict[str, tuple[str, Part]] = {
    "many": ("A thousand methods of a hundred plugins", many),
    "growth": ("A million pages", growth),
    "hostile": ("Downloads that never end and bombs", hostile),
    "paint": ("The console's list of ten thousand pages", first_paint),
}
"""The additional measurements of `make bench-full`."""
DEFAULTS = (
    "Landyard runs as `landyard serve --workers 1` on one core, with its default settings."
    " Nothing else differs from a newcomer's service: its log goes to a file."
)
ABSENT = {
    "nginx": "nginx is not installed; on Debian: apt-get install nginx-light",
    "paint": "Chromium is not installed; on Debian: apt-get install chromium-headless-shell",
    "postgres": "no PostgreSQL server at LANDYARD_TEST_POSTGRES",
    "workers": "there is one core only",
}


def main() -> int:
    """Measure and print the table; return 1 for a wrong answer or a missed bar, 2 without wrk."""
    options = _options()
    # The table needs more than the 80 columns assumed for a pipe.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    if shutil.which("wrk") is None:
        console.print("The load generator wrk is missing; on Debian: apt-get install wrk")
        return 2
    cores = servers.Cores()
    if cores.caveat():
        console.print(cores.caveat())
    elif cores.pinning:
        # requests of this process come from the load's core too
        os.sched_setaffinity(0, {cores.usable[-1]})
    if os.getloadavg()[0] > BUSY:
        console.print(
            f"This machine has a load of {os.getloadavg()[0]:.1f} already. Peers of one thread get"
            " less of a shared core: trust the ratios of processor time, at the right."
        )
    with tempfile.TemporaryDirectory(prefix="landyard-bench-") as name:
        folder = Path(name)
        servers.prepare(folder / "data", world())
        before = options.before and options.before.resolve()
        bench = Bench(cores, folder, servers.environment(), options.rounds, options.seconds, before)
        console.print(DEFAULTS)
        found = _measure(console, bench, options)
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(found.figures)))
    return max(report.show(console, found.figures, found.absent), found.wrong)


def _options() -> argparse.Namespace:
    choices = [*(each.name for each in SCENARIOS), *PARTS, *LONG]
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--seconds", type=int, default=1, help="how long each time")
    parser.add_argument("--only", action="append", choices=choices, metavar="NAME")
    parser.add_argument(
        "--before",
        type=Path,
        metavar="CHECKOUT",
        help="an older Landyard with its .venv, as a peer",
    )
    parser.add_argument("--full", action="store_true", help="what takes long, too")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


class Found(Struct):
    """The figures, the reasons of missing ones, and whether a reason is an error."""

    figures: list[Figure] = []
    absent: list[str] = []
    wrong: bool = False


def _measure(console: Console, bench: Bench, options: argparse.Namespace) -> Found:
    every = {each.name for each in SCENARIOS}
    wanted = set(options.only or [*every, *PARTS, *(LONG if options.full else ())])
    found = Found()
    parts: dict[str, tuple[str, Part]] = {name: PARTS[name] for name in PARTS}
    if wanted & every:
        scenarios = (
            "Methods and pages against their peers",
            lambda own: _contest(console, own, wanted & every, found),
        )
        parts, wanted = {"scenarios": scenarios, **parts}, wanted | {"scenarios"}
    for name, (title, part) in (parts | LONG).items():
        if name in wanted:
            console.print(f"{title} …")
            with _kept(found, title):
                figures = part(_own(bench, name))
                found.figures += figures
                if not figures and name in ABSENT:
                    found.absent.append(ABSENT[name])
    return found


def _own(bench: Bench, name: str) -> Bench:
    """Give a part a folder of its own, with a copy of the loaded data."""
    folder = bench.folder / name
    shutil.copytree(bench.folder / "data", folder / "data")
    env = {**bench.env, "LANDYARD_DATA": str(folder / "data")}
    return msgspec.structs.replace(bench, folder=folder, env=env)


def _contest(console: Console, bench: Bench, wanted: set[str], found: Found) -> list[Figure]:
    with contest(bench) as running:
        for scenario in LASTING:
            if scenario.name in wanted:
                console.print(f"  {scenario.title} …")
                with _kept(found, scenario.title):
                    row = measure(bench, running.ports, scenario, running.pids)
                    if scenario in EDITS:
                        for name in row.rounds:
                            require_edits(running.ports[name], scenario)
                    found.figures += against_peers(row)
        used_up = {each.name for each in USED_UP} & wanted
        if used_up:
            console.print(f"  {', '.join(sorted(used_up))} …")
            with _kept(found, "what is used up"):
                for row in use_up(running, bench.rounds, used_up):
                    found.figures += against_peers(row)
        if wanted.issuperset(each.name for each in SCENARIOS):
            found.figures.append(lifetime.after(running.pids["landyard"]))
    return []


@contextmanager
def _kept(found: Found, title: str) -> Iterator[None]:
    """Record a failure, and continue with the rest."""
    try:
        yield
    except (WrongAnswer, TimeoutError) as error:
        found.absent.append(f"{title}: {error}")
        found.wrong = True


if __name__ == "__main__":
    sys.exit(main())
