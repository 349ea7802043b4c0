"""Two workers on two cores beside one on one."""

import shutil
from contextlib import ExitStack
from pathlib import Path

from bench.contest import Bench
from bench.figures import Figure, figure
from bench.load import blast
from bench.scenarios import CONTENT, UPDATENODES
from bench.servers import serving

BARS = ((CONTENT, 1.7), (UPDATENODES, 1.0))


def workers(bench: Bench) -> list[Figure]:
    """Measure what the second worker brings, by turns."""
    if len(bench.cores.usable) < 2:
        return []
    with ExitStack() as stack:
        ports = {
            count: stack.enter_context(
                serving(bench.cores, bench.folder, _own(bench, count), workers=count)
            )[0]
            for count in (1, 2)
        }
        figures = []
        for scenario, bar in BARS:
            rates: dict[int, list[float]] = {1: [], 2: []}
            for number in range(bench.rounds + 1):
                for count, port in ports.items():
                    measured = blast(bench.cores.load, bench.folder, scenario, port, bench.seconds)
                    if number:  # the first warms up
                        rates[count].append(measured.per_second)
            pairs = zip(rates[2], rates[1], strict=True)
            what = f"{scenario.title}, two workers, of one"
            ratios = [two / one for two, one in pairs]
            figures.append(figure(f"workers/{scenario.name}", what, ratios, bar=bar))
    return figures


def _own(bench: Bench, count: int) -> dict[str, str]:
    """A database of its own: they must not wait for each other's writes."""
    data = bench.folder / f"workers-{count}"
    shutil.copytree(Path(bench.env["LANDYARD_DATA"]), data)
    return {**bench.env, "LANDYARD_DATA": str(data)}
