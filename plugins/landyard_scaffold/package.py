"""The package of a new plugin, written from templates."""

import keyword
import re
from collections.abc import Collection, Mapping
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

import msgspec

from landyard import Settings

# What a file of the package is made from; `$name` stands in paths as it does in texts.
_FILES = {
    "pyproject.toml": "pyproject.toml.in",
    "README.md": "README.md.in",
    ".gitignore": "gitignore.in",
    ".github/workflows/check.yml": "workflow.yml.in",
    "src/landyard_$name/__init__.py": "package.py.in",
    "src/landyard_$name/methods.py": "methods.py.in",
    "src/landyard_$name/py.typed": "py.typed.in",
    "tests/test_methods.py": "test_methods.py.in",
}
# What a plugin may have besides its first method, and the files for it.
PIECES = {
    "table": {
        "src/landyard_$name/tables.py": "tables.py.in",
        "src/landyard_$name/migrations/${name}_0001.py": "migration.py.in",
    },
    "page": {"src/landyard_$name/web.py": "web.py.in"},
    "job": {
        "src/landyard_$name/jobs.py": "jobs.py.in",
        "tests/test_jobs.py": "test_jobs.py.in",
    },
    "setting": {"src/landyard_$name/settings.py": "settings.py.in"},
    "event": {
        "src/landyard_$name/events.py": "events.py.in",
        "tests/test_events.py": "test_events.py.in",
    },
    "word": {
        "src/landyard_$name/commands.py": "commands.py.in",
        "tests/test_commands.py": "test_commands.py.in",
    },
    "screen": {
        "src/landyard_$name/screen.py": "screen.py.in",
        "tests/test_screen.py": "test_screen.py.in",
    },
    "panel": {
        "src/landyard_$name/panel.py": "panel.py.in",
        "src/landyard_$name/panel.js": "panel.js.in",
        "src/landyard_$name/web.py": "web.py.in",
        "src/landyard_$name/blocks/$name.greeting/block.html": "block.html.in",
        "src/landyard_$name/blocks/$name.greeting/block.json": "block.json.in",
        "src/landyard_$name/blocks/$name.greeting/preview.svg": "preview.svg.in",
        "tests/test_panel.py": "test_panel.py.in",
    },
    "column": {
        "src/landyard_$name/column.py": "column.py.in",
        "tests/test_column.py": "test_column.py.in",
    },
}
_SEEN = {"column", "panel", "screen"}  # what the console shows
# Plugins by what is built on them, and those that a test has beside them.
_REQUIRED = {"console": _SEEN, "events": {"event"}, "landing": {"panel"}}
_TESTED_WITH = {
    "blocks": {"panel"},
    "landing": _SEEN,
    "publishing": {"column"},
    "signin": _SEEN,
    "sites": {"column"},
}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 20  # lines with the name stay short, and so do the names of tables and revisions
# A section of landyard.toml has the plugin's name: these are sections and settings already.
_KERNELS = {"landyard", "kernel", "plugins"}
# A test gives a plugin's section under its name, beside these.
_SERVICES = {"world", "now", "strict"}


class ScaffoldError(Exception):
    """The package cannot be written; the text says why and what to do."""


def write_package(
    name: str, into: Path, taken: Collection[str], pieces: Collection[str] = ()
) -> Path:
    """Write the package `landyard-<name>` into the folder `into` and return its own folder.

    `taken` are the names of the plugins that are installed; `pieces` of `PIECES` are what it has
    besides a method. Raises `ScaffoldError` for a name that cannot be a new plugin's, and for a
    folder that is there already; then nothing is written.
    """
    _check(name, taken)
    folder = into / f"landyard-{name.replace('_', '-')}"
    if folder.exists():
        raise ScaffoldError(f"{folder} is there already: choose another name, or remove it")
    texts = {folder / path: text for path, text in _texts(name, frozenset(pieces)).items()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def _check(name: str, taken: Collection[str]) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise ScaffoldError(
            f"'{name}' cannot be a plugin's name: take small letters, digits and single"
            " underscores, a letter first, and no word of Python's own; such as guest_book"
        )
    if len(name) > _LONGEST:
        raise ScaffoldError(f"'{name}' is too long: {_LONGEST} characters are the most")
    settings = {field.name for field in msgspec.structs.fields(Settings)}
    if name in _KERNELS | _SERVICES | settings:
        raise ScaffoldError(f"'{name}' is a name of the kernel's own: choose another one")
    if name in taken:
        raise ScaffoldError(f"a plugin called '{name}' is installed: choose another name")
    if find_spec(f"landyard_{name}") is not None:
        raise ScaffoldError(f"a package landyard_{name} is installed: choose another name")


def _texts(name: str, pieces: frozenset[str]) -> dict[str, str]:
    """Fill in every file of the package, by its path in there."""
    # What the package imports of Landyard, and what it lists, by the pieces that need it.
    names = {"Job": {"job"}, "Kernel": {"page", "panel"}, "Record": _SEEN}
    names |= {"Subscriber": {"event"}, "Tables": {"table"}}
    records = {"greetings": {"screen"}, "*records": {"panel"}, "column": {"column"}}
    routes = {"page": {"page"}, "module": {"panel"}}
    required = _of(_REQUIRED, pieces)
    tested = sorted({*required, *_of(_TESTED_WITH, pieces)})
    listed = "".join(f"    landyard_{each},\n" for each in [*tested, name])
    said = {
        "name": name,
        "names": ", ".join([*sorted([*_of(names, pieces), "MethodGroup"]), "hookimpl"]),
        "records": ", ".join(_of(records, pieces)),
        "routes": ", ".join(_of(routes, pieces)),
        "plugins": "PLUGINS" if tested else f"[landyard_{name}]",
        "imports": "".join(f"import landyard_{each}\n" for each in tested),
        "tested": f"\nPLUGINS = [\n{listed}]\n" if tested else "",
        "requires": repr(tuple(required)).replace("'", '"'),
        "distribution": f"landyard-{name.replace('_', '-')}",
        "landyard": ".".join(version("landyard").split(".")[:2]),
    }
    templates = files("landyard_scaffold") / "templates"
    wanted = dict(_FILES)
    for piece in pieces:
        wanted |= PIECES[piece]
    return {
        Template(path).substitute(said): Template(
            _chosen((templates / source).read_text(), pieces)
        ).substitute(said)
        for path, source in wanted.items()
    }


def _of(known: Mapping[str, Collection[str]], pieces: frozenset[str]) -> list[str]:
    """Name what at least one of the pieces needs, in the order of `known`."""
    return [each for each, wanted in known.items() if not pieces.isdisjoint(wanted)]


def _chosen(text: str, pieces: frozenset[str]) -> str:
    """Leave out what a template has for other pieces.

    Lines from `#+table,job` to `#.` are for a plugin with one of these, from `#-table` for one
    without. They may stand in each other.
    """
    lines: list[str] = []
    kept: list[bool] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(("#+", "#-")):
            kept.append(pieces.isdisjoint(line[2:].strip().split(",")) == (line[1] == "-"))
        elif line.startswith("#."):
            kept.pop()
        elif all(kept):
            lines.append(line)
    return "".join(lines)
