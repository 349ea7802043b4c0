"""Draw the packages and the imports between them: `docs/packages.svg` and `docs/plugins.svg`."""

import ast
import tomllib
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).parent.parent
PACKAGES = Path(__file__).parent / "packages.svg"
PLUGINS = Path(__file__).parent / "plugins.svg"
SHIPPED = ("landyard", "landyard.contrib")
"""The groups of entry points in pyproject.toml."""
LIBRARY = "landyard_html"

_WIDTH, _HEIGHT, _GAP, _LEFT, _TOP = 660, 58, 16, 24, 64
_PAPER, _COLUMNS, _CELL = 1040, 3, 334
_COLOURS = ("#3b6ea8", "#a8633b", "#4d8a5b", "#8a4d7f", "#7a7433", "#3f8a8a", "#a84a4a", "#5a5aa8")
_STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1d2733 }
  .name { font-weight: 600; font-size: 16px } .small { font-size: 12px; fill: #5a6675 }
  .title { font-weight: 600; font-size: 20px } .need { font-size: 11px; fill: #ffffff }
  rect { fill: #f6f8fa; stroke: #c5ced8 } .paper { fill: #ffffff; stroke: none }
"""


class Layers(Struct, frozen=True):
    """Modules and folders of one package, from top to bottom."""

    folder: Path
    names: list[str]

    @property
    def package(self) -> str:
        """Return the name of the package."""
        return self.folder.name

    def files(self, name: str) -> list[Path]:
        """List the modules of a layer."""
        folder = self.folder / name
        return sorted(folder.rglob("*.py")) if folder.is_dir() else [self.folder / f"{name}.py"]


def kernel() -> Layers:
    """Read the layers of the kernel from the contract in pyproject.toml."""
    contracts = _pyproject()["tool"]["importlinter"]["contracts"]
    listed = next(each["layers"] for each in contracts if each["type"] == "layers")
    names = [name for layer in listed for name in layer.split(" | ")]
    return Layers(ROOT / "kernel" / "landyard", names)


def content() -> Layers:
    """Name the layers of `landyard_content`, in the order that its docstring states."""
    names = ["history", "pages", "blocks", "files"]
    return Layers(ROOT / "plugins" / "landyard_content", names)


def landing() -> Layers:
    """Name the layers of `landyard_landing`, in the order that its docstring states."""
    names = ["undoing", "sites", "rights", "events"]
    tables = ["errors", "change_tables", "site_tables", "tables"]
    return Layers(ROOT / "plugins" / "landyard_landing", names + tables)


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def imports(layers: Layers) -> Counter[tuple[str, str]]:
    """Count the run-time imports of one layer from another."""
    found: Counter[tuple[str, str]] = Counter()
    for name in layers.names:
        for file in layers.files(name):
            for other in _imported(ast.parse(file.read_text()).body, layers.package):
                if other in layers.names and other != name:
                    found[name, other] += 1
    return found


def _imported(body: list[ast.stmt], package: str) -> list[str]:
    named: list[str] = []
    for statement in body:
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
                named.append(str(node.module).split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == package:
                named += [each.name for each in node.names]
    return named


def packages_picture() -> str:
    """Draw the packages of the kernel."""
    drawn, height = _layers(kernel(), "The kernel", 0)
    return _svg("The packages of the kernel and the imports between them", height, drawn)


def plugins_picture() -> str:
    """Draw the plugins with their requirements, and the layers of the two that most require."""
    rooms, below = _rooms()
    above, middle = _layers(content(), "Inside landyard_content", below + 24)
    inside, height = _layers(landing(), "Inside landyard_landing", middle + 24)
    label = "The plugins with their requirements, and the layers of landyard_content and of landing"
    return _svg(label, height, rooms + above + inside)


def _svg(label: str, height: int, drawn: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_PAPER} {height}" role="img"'
        f' aria-label="{label}"><style>{_STYLE}</style>'
        f'<rect class="paper" width="{_PAPER}" height="{height}"/>\n'
        + "\n".join(drawn)
        + "</svg>\n"
    )


def _title(title: str, text: str, top: int) -> str:
    return (
        f'<text class="title" x="{_LEFT}" y="{top + 32}">{title}</text>'
        f'<text class="small" x="{_LEFT}" y="{top + 50}">{text}</text>'
    )


# ------------------------------------------------------------------- layers


def _layers(layers: Layers, title: str, top: int) -> tuple[list[str], int]:
    """Draw a box for each layer, an arc for its imports from another one; return the bottom."""
    names = layers.names
    first = top + _TOP
    middle = {n: first + at * (_HEIGHT + _GAP) + _HEIGHT / 2 for at, n in enumerate(names)}
    text = "Each box imports from those below it; a thicker arc stands for more imports."
    parts = [_title(title, text, top)]
    parts += [_arc(a, b, n, middle, names) for (a, b), n in sorted(imports(layers).items())]
    parts += [_box(layers, name, middle[name]) for name in names]
    return parts, first + len(names) * (_HEIGHT + _GAP) + 20


def _about(layers: Layers, name: str) -> tuple[str, int, int]:
    """Return the first line of a layer, and its numbers of modules and lines."""
    files = layers.files(name)
    first = files[0] if len(files) == 1 else layers.folder / name / "__init__.py"
    lines = sum(len(file.read_text().splitlines()) for file in files)
    return _first_line(first), len(files), lines


def _first_line(file: Path) -> str:
    return (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n")[0]


def _box(layers: Layers, name: str, middle: float) -> str:
    line, modules, lines = _about(layers, name)
    # Rounded, so that the picture seldom changes.
    about = f"about {round(lines, -2):,} lines" if lines >= 100 else "under 100 lines"
    size = about if modules == 1 else f"{modules} modules, {about}"
    top, right = middle - _HEIGHT / 2, _LEFT + _WIDTH - 12
    colour = _colour(layers.names.index(name))
    return (
        f'<rect x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<rect x="{_LEFT}" y="{top}" width="6" height="{_HEIGHT}" style="fill:{colour};'
        'stroke:none"/>'
        f'<text class="name" x="{_LEFT + 18}" y="{top + 24}">{escape(name)}</text>'
        f'<text class="small" x="{right}" y="{top + 23}" text-anchor="end">{size}</text>'
        f'<text class="small" x="{_LEFT + 18}" y="{top + 44}">{escape(line)}</text>'
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


# ------------------------------------------------------------------ plugins


class Room(Struct, frozen=True):
    """A plugin with the names of those that it requires; `contributed` ones start switched off."""

    name: str
    requires: tuple[str, ...]
    contributed: bool


def rooms() -> list[Room]:
    """List the plugins of the entry points in pyproject.toml, by name."""
    groups = _pyproject()["project"]["entry-points"]
    return sorted(
        (
            Room(name, _requires(_folder(package)), group == SHIPPED[1])
            for group in SHIPPED
            for name, package in groups[group].items()
        ),
        key=lambda room: room.name,
    )


def _folder(package: str) -> Path:
    return next(path for each in ("plugins", "contrib") if (path := ROOT / each / package).exists())


def _requires(folder: Path) -> tuple[str, ...]:
    for statement in ast.parse((folder / "__init__.py").read_text()).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="requires")], value=value):
                return tuple(ast.literal_eval(value))
    return ()


def _levels(every: list[Room]) -> list[tuple[str, list[Room]]]:
    """Sort the plugins into rows, each below those that require something of it."""
    levels: dict[str, int] = {}
    while waiting := [room for room in every if room.name not in levels]:
        for room in waiting:
            if levels.keys() >= {*room.requires}:
                levels[room.name] = 1 + max((levels[each] for each in room.requires), default=-1)
    required = {name for room in every for name in room.requires}
    lowest = [room for room in every if not room.requires]
    rows = [
        ("", [room for room in every if levels[room.name] == level])
        for level in range(max(levels.values()), 0, -1)
    ]
    rows.append(("", [room for room in lowest if room.name in required]))
    alone = [room for room in lowest if room.name not in required]
    return [*rows, ("These require no plugin, and no plugin requires them.", alone)]


def _rooms() -> tuple[list[str], int]:
    """Draw a box for each plugin, with a coloured label for each that it requires."""
    every = rooms()
    required = sorted({name for room in every for name in room.requires})
    colours = {name: _colour(at) for at, name in enumerate(required)}
    text = (
        "Each box names what its plugin requires, in the colour of the required one."
        " Plugins with a dashed line come from contrib and start switched off."
    )
    parts, top = [_title("The plugins", text, 0)], _TOP
    for heading, row in _levels(every):
        if heading:
            parts.append(f'<text class="small" x="{_LEFT}" y="{top + 14}">{heading}</text>')
            top += 24
        height = 64 if any(room.requires for room in row) else 40
        for at, room in enumerate(row):
            line, column = divmod(at, _COLUMNS)
            place = _LEFT + column * _CELL, top + line * (height + 12)
            parts.append(_room(room, *place, height, colours))
        top += -(-len(row) // _COLUMNS) * (height + 12) + 12
    about = f"A library: any plugin may import it. {_first_line(_folder(LIBRARY) / '__init__.py')}"
    width = _COLUMNS * _CELL - 12
    parts.append(
        f'<rect x="{_LEFT}" y="{top}" width="{width}" height="{_HEIGHT}" rx="6"/>'
        f'<text class="name" x="{_LEFT + 18}" y="{top + 24}">{LIBRARY}</text>'
        f'<text class="small" x="{_LEFT + 18}" y="{top + 44}">{escape(about)}</text>'
    )
    return parts, top + _HEIGHT


def _room(room: Room, left: int, top: int, height: int, colours: dict[str, str]) -> str:
    width = _CELL - 12
    dashes = ' stroke-dasharray="5 4"' if room.contributed else ""
    parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="6"{dashes}/>']
    if colour := colours.get(room.name):
        parts.append(
            f'<rect x="{left}" y="{top}" width="6" height="{height}"'
            f' style="fill:{colour};stroke:none"/>'
        )
    parts.append(f'<text class="name" x="{left + 16}" y="{top + 24}">{room.name}</text>')
    at = left + 12
    for name in room.requires:
        label = 6 * len(name) + 6
        parts.append(
            f'<rect x="{at}" y="{top + 36}" width="{label}" height="18" rx="4"'
            f' style="fill:{colours[name]};stroke:none"/>'
            f'<text class="need" x="{at + label / 2}" y="{top + 49}" text-anchor="middle">'
            f"{name}</text>"
        )
        at += label + 3
    return "".join(parts)


if __name__ == "__main__":
    PACKAGES.write_text(packages_picture())
    PLUGINS.write_text(plugins_picture())
