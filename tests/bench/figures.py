"""A figure: a measured value, its bar, and whether the bar is met."""

import statistics
from collections.abc import Iterable

from bench.contest import Row
from msgspec import Struct

PEERS = {
    "before": "the Landyard before",
    "limit": "the raw limit",
    "twin": "FastAPI + SQLModel",
    "files": "Starlette's StaticFiles",
    "nginx": "nginx and a file",
}


class Figure(Struct, frozen=True):
    """`value` is a median and `spread` its smallest and largest value; `bar` is None where there is
    no target.

    `unit` is "x" for a ratio. `at_most`: the bar is an upper limit.
    """

    name: str
    what: str
    value: float
    unit: str = "x"
    bar: float = 0.0
    at_most: bool = False
    spread: tuple[float, float] = (0.0, 0.0)
    note: str = ""

    @property
    def met(self) -> bool:
        """Tell whether the figure reaches its bar; True without a bar."""
        if not self.bar:
            return True
        return self.value <= self.bar if self.at_most else self.value >= self.bar


def figure(
    name: str,
    what: str,
    values: Iterable[float],
    unit: str = "x",
    bar: float = 0.0,
    *,
    at_most: bool = False,
    note: str = "",
) -> Figure:
    """Take the median of the results of several rounds."""
    all_of = sorted(values)
    spread = (all_of[0], all_of[-1])
    return Figure(name, what, statistics.median(all_of), unit, bar, at_most, spread, note)


def against_peers(row: Row, prefix: str = "") -> list[Figure]:
    """Compare one scenario with each of the peers that took part."""
    scenario = row.scenario
    bars = dict(scenario.bars)
    if scenario.capped and {"limit", "twin"} <= row.rounds.keys():
        bars["twin"] = min(bars["twin"], row.rate("limit") / row.rate("twin"))
    return [
        figure(
            f"{prefix}{scenario.name}/{peer}",
            f"{scenario.title}, of {PEERS[peer]}",
            row.ratios(peer),
            bar=bar,
            note=row.note(peer),
        )
        for peer, bar in bars.items()
        if peer in row.rounds
    ]
