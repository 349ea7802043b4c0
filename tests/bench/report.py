"""The table: rates, and the medians of the ratios of every round."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench.growth import GROWTH_BAR, SIZES
from bench.hostile import GROWTH_BAR as HOSTILE_BAR
from bench.hostile import P99_BAR, Felt
from bench.lifetime import STAGES
from bench.load import Measured
from bench.many import EACH, FEW, MANY, MANY_BAR, Costs
from bench.resizing import RESIZE_BAR
from bench.scenarios import PAGE_VIEW, SCENARIOS, Scenario
from msgspec import Struct
from rich import box
from rich.console import Console
from rich.table import Table

START_BAR = 1.5  # seconds
MEMORY_BAR = 120.0  # MiB
FLAT = 1.05  # what the last size may be of the first

Rounds = Mapping[str, Sequence[Measured]]
"""The measured rounds of one scenario, by server: `landyard`, `plain`, `twin`."""


class Findings(Struct):
    """Everything that was measured."""

    rounds: dict[str, dict[str, list[Measured]]]
    import_to_answer: float
    serve_to_answer: float
    memory: dict[int, float]
    growth: dict[str, float] = {}
    resizing: float = 0.0
    hostile: Felt | None = None
    many: Costs | None = None


def ratio(rounds: Rounds, peer: str) -> float:
    """Return the median over the rounds of Landyard's rate divided by the peer's."""
    pairs = zip(rounds["landyard"], rounds[peer], strict=True)
    return statistics.median(ours.per_second / theirs.per_second for ours, theirs in pairs)


def show(console: Console, findings: Findings) -> None:
    """Print the table, and the lines of start and memory."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("scenario", no_wrap=True)
    for column in ("Landyard", "Litestar", "twin", "x Litestar", "x twin", "bar"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("met?")
    for scenario in SCENARIOS:
        if scenario.name in findings.rounds:
            table.add_row(*_row(scenario, findings.rounds[scenario.name]))
    console.print(table)
    console.print("Requests per second, medians; ratios are medians of the rounds' ratios.")
    for title, seconds in (
        ("import landyard to first answer", findings.import_to_answer),
        ("landyard serve to first 200", findings.serve_to_answer),
    ):
        met = _met(seconds <= START_BAR)
        console.print(f"start: {title} {seconds:.2f} s (bar {START_BAR} s: {met})")
    console.print(_memory_line(findings.memory))
    for name, times in findings.growth.items():
        met = _met(times <= GROWTH_BAR)
        console.print(
            f"growth: {name} takes {times:.2f} times as long at {SIZES[1]:,} pages as at"
            f" {SIZES[0]:,} (bar {GROWTH_BAR}: {met})"
        )
    if findings.resizing:
        met = _met(findings.resizing <= RESIZE_BAR)
        console.print(
            f"pictures: 12 megapixels to 1200 x 675 take {findings.resizing:.2f} times as long as"
            f" Pillow's fastest path (bar {RESIZE_BAR}: {met})"
        )
    if findings.hostile:
        _show_hostile(console, findings.hostile)
    if findings.many:
        _show_many(console, findings.many)


def _show_many(console: Console, costs: Costs) -> None:
    console.print(
        f"methods: among {MANY * EACH:,} of {MANY} plugins a call takes {costs.in_process:.3f}"
        f" times as long as among {FEW * EACH} of {FEW}, and {costs.over_http:.3f} over HTTP"
        f" (bar {MANY_BAR}: {_met(costs.met)})"
    )


def _show_hostile(console: Console, felt: Felt) -> None:
    console.print(
        f"hostile: downloads that never end and bombs, other methods' p99 {felt.p99:.0f} ms"
        f" (bar {P99_BAR:.0f} ms: {_met(felt.p99 <= P99_BAR)}), the worker grew by"
        f" {felt.growth:.0f} MiB (bar {HOSTILE_BAR:.0f} MiB: {_met(felt.growth <= HOSTILE_BAR)})"
    )


def _row(scenario: Scenario, rounds: Rounds) -> list[str]:
    rates = [_rate(rounds[server]) for server in ("landyard", "plain", "twin")]
    ratios = {peer: ratio(rounds, peer) for peer in ("plain", "twin")}
    shown = [f"{value:.2f}" for value in ratios.values()]
    if not scenario.bar:
        return [scenario.title, *rates, *shown, "", ""]
    names = {"plain": "raw" if scenario is PAGE_VIEW else "Litestar", "twin": "twin"}
    bar = f"{names[scenario.peer]} {scenario.bar}"
    return [scenario.title, *rates, *shown, bar, _met(ratios[scenario.peer] >= scenario.bar)]


def _rate(rounds: Sequence[Measured]) -> str:
    return f"{statistics.median(each.per_second for each in rounds):,.0f}"


def _memory_line(sizes: Mapping[int, float]) -> str:
    if not sizes:
        return "memory: cannot be read here"
    told = ", ".join(f"{size:.0f} MiB after {calls:,}" for calls, size in sizes.items())
    first, last = sizes[STAGES[0]], sizes[STAGES[-1]]
    flat = "flat" if last <= first * FLAT else f"grew by {last - first:.0f} MiB"
    met = _met(last <= MEMORY_BAR)
    return f"memory: RSS of one worker {told} mixed calls (bar {MEMORY_BAR:.0f} MiB: {met}), {flat}"


def _met(held: bool) -> str:
    return "yes" if held else "no"


def raw(findings: Findings) -> dict[str, Any]:
    """Return the findings as what `--json` writes: every round, and the ratios."""
    return {
        "scenarios": {
            name: {
                "rounds": rounds,
                "ratio_to_litestar": ratio(rounds, "plain"),
                "ratio_to_twin": ratio(rounds, "twin"),
            }
            for name, rounds in findings.rounds.items()
        },
        "start": {
            "import_to_answer_seconds": findings.import_to_answer,
            "serve_to_answer_seconds": findings.serve_to_answer,
        },
        "memory_mib_after_calls": findings.memory,
        "latency_at_100000_pages_to_1000": findings.growth,
        "resizing_to_pillow": findings.resizing,
        "hostile": findings.hostile,
        "thousand_methods_to_twenty": findings.many,
    }
