"""The writer of a new plugin's package, from templates."""

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

# The template of each file in the package; `$name` is replaced in paths and in texts.
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
# The optional pieces of a plugin, besides its first method, with their files.
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
_SHOWN = {"column", "panel", "screen"}  # pieces that the console shows
# Plugins that a piece requires, and plugins that its test needs besides.
_REQUIRED = {"console": _SHOWN, "content": {"panel"}, "events": {"event"}}
_TESTED_WITH = {
    "blocks": {"panel"},
    "content": _SHOWN,
    "landing": _SHOWN,
    "pages": {"column"},
    "public": _SHOWN,
    "signin": _SHOWN,
    "sitekit": _SHOWN,
    "sites": {"column"},
}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 20  # keeps lines with the name short, and names of tables and revisions
# A plugin's section of landyard.toml has its name, so it must not be a section of the kernel.
_KERNELS = {"landyard", "kernel", "plugins"}
# Parameters of the test service, to which a plugin's section is passed by its name.
_SERVICES = {"world", "now", "strict"}


class ScaffoldError(Exception):
    """The package cannot be written; the text says why and what to do."""


def write_package(
    name: str, into: Path, installed: Collection[str], pieces: Collection[str] = ()
) -> Path:
    """Write the package `landyard-<name>` into the folder `into` and return its own folder.

    `installed` are the names of installed plugins; `pieces` are the chosen keys of `PIECES`. Raises
    `ScaffoldError` if the name is not possible or the folder exists; then nothing is written.
    """
    _check(name, installed)
    folder = into / f"landyard-{name.replace('_', '-')}"
    if folder.exists():
        raise ScaffoldError(f"{folder} is there already: choose another name, or remove it")
    texts = {folder / path: text for path, text in _texts(name, frozenset(pieces)).items()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def _check(name: str, installed: Collection[str]) -> None:
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
    if name in installed:
        raise ScaffoldError(f"a plugin called '{name}' is installed: choose another name")
    if find_spec(f"landyard_{name}") is not None:
        raise ScaffoldError(f"a package landyard_{name} is installed: choose another name")


def _texts(name: str, pieces: frozenset[str]) -> dict[str, str]:
    """Return the text of every file, by its path in the package."""
    # Names to import from Landyard and objects to list, with the pieces that need them.
    names = {"Job": {"job"}, "Host": {"page", "panel"}, "Record": _SHOWN}
    names |= {"Subscriber": {"event"}, "Tables": {"table"}}
    records = {"greetings": {"screen"}, "*records": {"panel"}, "column": {"column"}}
    routes = {"page": {"page"}, "module": {"panel"}}
    required = _of(_REQUIRED, pieces)
    tested = sorted({*required, *_of(_TESTED_WITH, pieces)})
    plugin_list = "".join(f"    landyard_{each},\n" for each in [*tested, name])
    values = {
        "name": name,
        "names": ", ".join([*sorted([*_of(names, pieces), "MethodGroup"]), "hookimpl"]),
        "records": ", ".join(_of(records, pieces)),
        "routes": ", ".join(_of(routes, pieces)),
        "plugins": "PLUGINS" if tested else f"[landyard_{name}]",
        "imports": "".join(f"import landyard_{each}\n" for each in tested),
        "tested": f"\nPLUGINS = [\n{plugin_list}]\n" if tested else "",
        "requires": repr(tuple(required)).replace("'", '"'),
        "distribution": f"landyard-{name.replace('_', '-')}",
        "landyard": ".".join(version("landyard").split(".")[:2]),
    }
    templates = files("landyard_authoring") / "templates"
    sources = dict(_FILES)
    for piece in pieces:
        sources |= PIECES[piece]
    return {
        Template(path).substitute(values): Template(
            _chosen((templates / source).read_text(), pieces)
        ).substitute(values)
        for path, source in sources.items()
    }


def _of(needed_by: Mapping[str, Collection[str]], pieces: frozenset[str]) -> list[str]:
    """Return the keys that at least one of the pieces needs, in the order of `needed_by`."""
    return [each for each, needing in needed_by.items() if not pieces.isdisjoint(needing)]


def _chosen(text: str, pieces: frozenset[str]) -> str:
    """Return a template without the lines for other pieces.

    Lines from `#+table,job` to `#.` are for a plugin with one of these pieces, lines from `#-table`
    for one without. Such parts may be nested.
    """
    lines: list[str] = []
    conditions: list[bool] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(("#+", "#-")):
            conditions.append(pieces.isdisjoint(line[2:].strip().split(",")) == (line[1] == "-"))
        elif line.startswith("#."):
            conditions.pop()
        elif all(conditions):
            lines.append(line)
    return "".join(lines)
