"""Draw the kernel's packages and the imports between them: `docs/packages.svg`."""

import ast
import tomllib
from collections import Counter
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
KERNEL = ROOT / "kernel" / "landyard"
PICTURE = Path(__file__).parent / "packages.svg"

_WIDTH, _HEIGHT, _GAP, _LEFT, _TOP = 560, 58, 16, 24, 64
_COLOURS = ("#3b6ea8", "#a8633b", "#4d8a5b", "#8a4d7f", "#7a7433", "#3f8a8a", "#a84a4a", "#5a5aa8")
_STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1d2733 }
  .name { font-weight: 600; font-size: 16px } .small { font-size: 12px; fill: #5a6675 }
  .title { font-weight: 600; font-size: 20px }
  rect { fill: #f6f8fa; stroke: #c5ced8 } .paper { fill: #ffffff; stroke: none }
"""


def layers() -> list[str]:
    """Name the packages from top to bottom, in the order of the layers in pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    listed = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [name for layer in listed for name in layer.split(" | ")]


def imports(names: list[str]) -> Counter[tuple[str, str]]:
    """Count the run-time imports of one package from another."""
    found: Counter[tuple[str, str]] = Counter()
    for name in names:
        for file in _files(name):
            for other in _imported(ast.parse(file.read_text()).body):
                if other in names and other != name:
                    found[name, other] += 1
    return found


def _files(name: str) -> list[Path]:
    folder = KERNEL / name
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [KERNEL / f"{name}.py"]


def _imported(body: list[ast.stmt]) -> list[str]:
    named: list[str] = []
    for statement in body:
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("landyard."):
                named.append(str(node.module).split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "landyard":
                named += [each.name for each in node.names]
    return named


def _about(name: str) -> tuple[str, int, int]:
    """Return the first line of a package, and its numbers of modules and lines."""
    files = _files(name)
    first = files[0] if len(files) == 1 else KERNEL / name / "__init__.py"
    line = (ast.get_docstring(ast.parse(first.read_text())) or "").partition("\n")[0]
    return line, len(files), sum(len(file.read_text().splitlines()) for file in files)


def picture() -> str:
    """Draw a box for each package, and an arc for its imports from another one."""
    names = layers()
    arcs = imports(names)
    middle = {n: _TOP + at * (_HEIGHT + _GAP) + _HEIGHT / 2 for at, n in enumerate(names)}
    height = int(_TOP + len(names) * (_HEIGHT + _GAP) + 20)
    parts = [_arc(a, b, count, middle, names) for (a, b), count in sorted(arcs.items())]
    parts += [_box(name, middle[name], names.index(name)) for name in names]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 {height}" role="img"'
        f' aria-label="The packages of the kernel and the imports between them">'
        f'<style>{_STYLE}</style><rect class="paper" width="940" height="{height}"/>'
        f'<text class="title" x="{_LEFT}" y="32">The kernel</text>'
        f'<text class="small" x="{_LEFT}" y="50">Each package imports from those below it;'
        " a thicker arc stands for more imports.</text>"
        "\n" + "\n".join(parts) + "</svg>\n"
    )


def _box(name: str, middle: float, at: int) -> str:
    line, modules, lines = _about(name)
    about = f"about {round(lines, -2):,} lines"  # rounded, so that the picture seldom changes
    size = about if modules == 1 else f"{modules} modules, {about}"
    top, right = middle - _HEIGHT / 2, _LEFT + _WIDTH - 12
    caption = line if len(line) < 88 else f"{line[:86]}…"
    return (
        f'<rect x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<rect x="{_LEFT}" y="{top}" width="6" height="{_HEIGHT}" style="fill:{_colour(at)};'
        'stroke:none"/>'
        f'<text class="name" x="{_LEFT + 18}" y="{top + 24}">{escape(name)}</text>'
        f'<text class="small" x="{right}" y="{top + 23}" text-anchor="end">{size}</text>'
        f'<text class="small" x="{_LEFT + 18}" y="{top + 44}">{escape(caption)}</text>'
    )


def _arc(above: str, below: str, count: int, middle: dict[str, float], names: list[str]) -> str:
    at = names.index(above)
    start, end = middle[above], middle[below]
    span = abs(names.index(below) - at)
    right = _LEFT + _WIDTH
    reach = right + 26 + 27 * span
    width = min(1 + count**0.5 / 1.6, 6)
    # The ends of arcs are spread over the box, so that each arc can be followed.
    end += (span - 5) * 2.2
    start += span * 1.2 - 6
    return (
        f'<path d="M{right} {start:.0f} C{reach} {start:.0f} {reach} {end:.0f}'
        f' {right + 9} {end:.0f}"'
        f' fill="none" stroke="{_colour(at)}" stroke-opacity=".6" stroke-width="{width:.1f}">'
        f"<title>{escape(above)} imports from {escape(below)}: {count}</title></path>"
        f'<path d="M{right} {end:.0f} l10 -5 v10 z" fill="{_colour(at)}"/>'
    )


def _colour(at: int) -> str:
    return _COLOURS[at % len(_COLOURS)]


if __name__ == "__main__":
    PICTURE.write_text(picture())
