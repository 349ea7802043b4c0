"""Writes the figures of one or more runs into `docs/performance.md`, with two pictures.

`python tests/bench/publish.py RUN.json …`: of several runs it writes the median of each figure.
"""

import statistics
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

import msgspec  # noqa: E402
from bench.figures import Figure  # noqa: E402
from bench.report import cells  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "performance.md"
BARS, COSTS = DOCS / "performance-bars.svg", DOCS / "performance-costs.svg"
BEGIN, END = "<!-- figures: written by tests/bench/publish.py -->", "<!-- end of figures -->"
_LEFT, _WIDE, _LINE = 430, 460, 20  # pixels
_EXPLAINED = """\
The picture shows microseconds of processor time; an edit's wait for the disk is in the table. The
part of the HTTP server is the whole time of the raw limit's `methods`. The parts of dispatch come
from a profile in process, without the profiler's own time. The rest of the whole is the part of the
edge and the hand-over to a thread."""
_MOST = 2.0  # times its bar; what is better ends there
_COLOURS = (
    *("#3b6ea5", "#7aa6c2", "#c2a878", "#8d6a9f", "#6b8e5a"),
    *("#b5654a", "#d9a5b3", "#4a4a4a", "#b0b0b0", "#5fb0a5"),
)


def main() -> None:
    """Read the runs, write the page and the pictures."""
    runs = [
        msgspec.json.decode(Path(name).read_bytes(), type=list[Figure]) for name in sys.argv[1:]
    ]
    if not runs:
        sys.exit(f"usage: {Path(__file__).name} RUN.json ...")
    figures = merged(runs)
    held = [each for each in figures if each.bar]
    BARS.write_text(bars(held))
    costs = costs_of(figures)
    if costs:
        COSTS.write_text(stacked(costs))
    head, _, rest = PAGE.read_text().partition(BEGIN)
    tail = rest.partition(END)[2]
    PAGE.write_text(f"{head}{BEGIN}\n\n{_section(figures, len(runs), bool(costs))}\n{END}{tail}")


def merged(runs: Sequence[Sequence[Figure]]) -> list[Figure]:
    """Take each figure's median over the runs, and its smallest and largest value in any of
    them.
    """
    by_name: dict[str, list[Figure]] = {}
    for run in runs:
        for each in run:
            by_name.setdefault(each.name, []).append(each)
    return [_median(found) for found in by_name.values()]


def _median(found: Sequence[Figure]) -> Figure:
    if len(found) == 1:
        return found[0]
    values = [each.value for each in found]
    return msgspec.structs.replace(
        found[0],
        value=statistics.median(values),
        spread=(min(values), max(values)),
        note="",
    )


def _section(figures: Sequence[Figure], runs: int, costs: bool) -> str:
    short = [each.what for each in figures if not each.met]
    lines = [
        f"![Each figure as a share of its bar]({BARS.name})",
        "",
        "| what | figure | from - to | bar | met? |",
        "|---|--:|--:|--:|---|",
        *(
            f"| {' | '.join([each.what, *cells(each)])} |"
            for each in figures
            if not each.name.startswith("cost/")
        ),
        "",
        f"Medians of {runs} run{'s' if runs > 1 else ''}."
        + (f" Short of the bar: {'; '.join(short)}." if short else " Every bar is met."),
        "",
    ]
    if costs:
        lines += [
            "## What a call costs",
            "",
            f"![The parts of a call]({COSTS.name})",
            "",
            _EXPLAINED,
            "",
        ]
    return "\n".join(lines)


def bars(figures: Sequence[Figure]) -> str:
    """Draw the distance of each figure from its bar, which is the line."""
    shapes: list[str] = []
    for row, each in enumerate(figures):
        share = (each.bar / each.value if each.at_most else each.value / each.bar) or 0.0
        width = min(share, _MOST) * _WIDE / _MOST
        colour = _COLOURS[0] if each.met else _COLOURS[5]
        top = row * _LINE
        shapes += [
            _text(_LEFT - 8, top + 14, each.what, "end"),
            f'<rect x="{_LEFT}" y="{top + 3}" width="{width:.0f}" height="14" fill="{colour}"/>',
            _text(_LEFT + width + 6, top + 14, f"{share:.2f}"),
        ]
    high = len(figures) * _LINE
    line = _LEFT + _WIDE / _MOST
    shapes.append(
        f'<line x1="{line:.0f}" y1="0" x2="{line:.0f}" y2="{high}" stroke="#222"'
        ' stroke-dasharray="4 3"/>'
    )
    return _svg(_LEFT + _WIDE + 60, high, shapes)


def costs_of(figures: Sequence[Figure]) -> dict[str, dict[str, float]]:
    """Group the parts of calls by call."""
    found: dict[str, dict[str, float]] = {}
    for each in figures:
        if each.name.startswith("cost/"):
            call, _, part = each.what.partition(": ")
            found.setdefault(call, {})[part] = each.value
    return found


def stacked(costs: Mapping[str, Mapping[str, float]]) -> str:
    """Draw each call as a bar of its parts."""
    names = list(dict.fromkeys(part for parts in costs.values() for part in parts))
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(names)}
    most = max(sum(parts.values()) for parts in costs.values())
    shapes: list[str] = []
    top = 0
    for call, parts in costs.items():
        shapes.append(_text(0, top + 16, f"{call}, {sum(parts.values()):.0f} us"))
        left = 0.0
        for name, took in parts.items():
            width = took / most * (_LEFT + _WIDE)
            shapes.append(
                f'<rect x="{left:.1f}" y="{top + 24}" width="{width:.1f}" height="26"'
                f' fill="{colours[name]}"><title>{escape(name)}: {took:.0f} us</title></rect>'
            )
            left += width
        top += 66
    for name in names:
        told = ", ".join(f"{parts.get(name, 0):.0f} us" for parts in costs.values())
        colour = colours[name]
        shapes += [
            f'<rect x="0" y="{top + 3}" width="12" height="12" fill="{colour}"/>',
            _text(20, top + 14, f"{name}: {told}"),
        ]
        top += _LINE
    return _svg(_LEFT + _WIDE, top, shapes)


def _text(left: float, top: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{left:.0f}" y="{top:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(wide: float, high: float, shapes: Sequence[str]) -> str:
    inside = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}"'
        f' width="{wide:.0f}" height="{high:.0f}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{inside}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
