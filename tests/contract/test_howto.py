"""The how-to pages: their commands run, and their quoted messages are those of the program."""

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
import pluggy
import pytest
from faulty.kit import Fault, install
from kernel.forked import stand_in
from kernel.processes import PATIENCE, Server, command, environment, serving
from msgspec import Struct

from landyard import Kernel
from landyard.plugin_host.switches import State
from landyard.settings import load_settings

ROOT = Path(__file__).parents[2]
OPERATE, DEBUG, UPGRADE = (
    (ROOT / "docs" / f"{name}.md").read_text() for name in ("operate", "debug-plugin", "upgrade")
)
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PLUGGY = Path(pluggy.__file__).with_name("_manager.py").read_text()
KERNEL = [path.read_text() for path in (ROOT / "kernel" / "landyard").rglob("*.py")]

MENDED = """
from landyard import Call, Example, MethodGroup, MissingParams, WrongType, hookimpl
from msgspec import Struct

group = MethodGroup(scope="greeting")


class Hello(Struct, frozen=True):
    name: str


@group.method(
    "greeting.hello",
    errors=[MissingParams, WrongType],
    example=Example(params={"name": "Ann"}, result="Hello, Ann!"),
)
def hello(call: Call, params: Hello) -> str:
    \"\"\"Greet somebody by name.\"\"\"
    return f"Hello, {params.name}!" if params.name else "Hello!"


@hookimpl
def register_methods() -> MethodGroup:
    return group
"""
GREETING = Fault(
    "greeting",
    "",
    "",
    entry="greeting",
    files={
        "landyard_greeting.py": MENDED.replace('else "Hello!"', 'else "Hello!"[1 // 0]'),
        "/entry_points.txt": "[landyard]\ngreeting = landyard_greeting\n",
    },
)


class Terminal(Struct, frozen=True):
    """A shell in `folder`, with the plugin `greeting` installed."""

    folder: Path

    @property
    def installed(self) -> Path:
        return self.folder / "installed"

    def variables(self, **more: str) -> dict[str, str]:
        paths = [str(self.installed), os.environ.get("PYTHONPATH", "")]
        programs = [str(self.folder), str(Path(sys.executable).parent), os.environ["PATH"]]
        return {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PATH": os.pathsep.join(programs),
            "LANDYARD_DATA": "landyard-data",
            **more,
        }

    def run(self, script: str, *, status: int = 0, **more: str) -> str:
        """Run a script and return its output; a `landyard serve` in it is awaited, then stopped."""
        if re.search(r"\blandyard serve\b", script):
            return "".join(self._serve(line) for line in _lines(script))
        done = subprocess.run(
            ["bash", "-ec", script],
            cwd=self.folder,
            env=environment(self.folder, **self.variables(**more)),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == status, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def _serve(self, line: str) -> str:
        assignments, _, words = line.partition("landyard serve")
        words = re.sub(r"--port \d+", "", words.partition("#")[0])
        if "landyard serve" not in line:
            return self.run(line)
        given = dict(each.split("=", 1) for each in assignments.split())
        with serving(self.folder, *words.split(), **self.variables(**given)) as server:
            answered = server.ask("GET", "/openrpc.json")[2]
        return f"{server.err}{answered.decode()}"


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return terminal_in(tmp_path_factory.mktemp("howto"))


def terminal_in(folder: Path) -> Terminal:
    install(folder / "installed", GREETING)
    stand_in(Path(command()[0]), folder)
    return Terminal(folder)


@pytest.fixture(scope="module")
def server(terminal: Terminal) -> Iterator[Server]:
    flags = ("--demo", "--workers", "2")
    with serving(terminal.folder, *flags, **terminal.variables()) as server:
        yield server


@pytest.mark.lint
def test_the_page_on_operating_plugins_runs(terminal: Terminal, server: Server) -> None:
    switching, starting = _scripts(_section(OPERATE, "Plugins"))

    switched = terminal.run(switching)
    strict, safe = (terminal.run(line) for line in _lines(starting))

    assert "pictures is off" in switched
    assert "landing.landing.delete is on" in switched
    assert '"greeting.hello"' in strict
    assert "There is no page here" in safe  # a plugin brings the documents with descriptions
    assert server.answers()


def test_the_settings_on_the_page_are_read(tmp_path: Path) -> None:
    (written,) = (code for kind, code in _blocks(_section(OPERATE, "Plugins")) if kind == "toml")
    (tmp_path / "landyard.toml").write_text(written)

    settings = load_settings({"LANDYARD_DATA": str(tmp_path)}, file=tmp_path / "landyard.toml")
    kernel = Kernel(settings)
    kernel.close()

    assert kernel.rules.seconds == 10.0
    assert kernel.methods.find("landing.landing.delete") is None
    assert kernel.methods.find("landing.landing.move") is not None


@pytest.mark.lint
def test_the_page_on_debugging_a_plugin_runs(terminal: Terminal, server: Server) -> None:
    looking, deciding, auditing, checking, starting, testing = _scripts(DEBUG)
    (test,) = (code for kind, code in _blocks(DEBUG) if kind == "python")
    _crash(terminal, server)

    looked = terminal.run(looking, COLUMNS="200")
    decided = terminal.run(deciding)
    audited = terminal.run(auditing)
    checked = terminal.run(checking, status=1, COLUMNS="200")
    safe, without = (terminal.run(line) for line in _lines(starting))
    (terminal.folder / "test_hello.py").write_text(test)
    failed = terminal.run(testing, status=1)
    (terminal.installed / "landyard_greeting.py").write_text(MENDED)
    passed = terminal.run(testing)

    assert re.search("ZeroDivisionError: .* by zero in greeting.hello", looked)
    assert "greeting is off" in decided
    assert "none" in audited
    assert "greeting.hello" in checked
    assert "does not pass" in checked
    assert "There is no page here" in safe
    assert ('"landing.block.getlist"' in without, '"greeting.hello"' in without) == (True, False)
    assert "ZeroDivisionError" in failed
    assert "1 passed" in passed


@pytest.mark.lint
def test_the_page_on_upgrading_runs(terminal: Terminal) -> None:
    terminal = terminal_in(terminal.folder / "upgraded")
    before, (landyard, rehearsal, plugin, back) = (
        list(_scripts(_section(UPGRADE, "Before"))),
        list(_scripts(UPGRADE.partition("## Landyard")[2])),
    )

    with serving(terminal.folder, "--demo", **terminal.variables()) as server:
        outputs = [terminal.run(each.replace(":8000", f":{server.port}")) for each in before]
    terminal.run(landyard)
    terminal.run(rehearsal)
    checked = terminal.run(plugin)
    terminal.run("landyard user add Since")
    restored = terminal.run(f"{back}landyard user list")

    assert outputs[-1] == ""  # none of the built-in methods is deprecated
    assert "pictures (landyard" in checked
    assert "the database is up to date" in restored
    assert "Since" not in restored
    listed = msgspec.json.decode((terminal.folder / "before.json").read_bytes())
    assert {"landing", "greeting"} <= {row["name"] for row in listed}


def test_every_state_is_explained() -> None:
    states = set(get_args(State))

    assert states == set(re.findall(r"^\| `(\w+)` \|", _section(OPERATE, "Plugins"), re.MULTILINE))
    assert states - {"enabled"} == set(re.findall(r"^### (\w+)$", DEBUG, re.MULTILINE))


def test_each_explained_reason_is_a_message_of_the_program() -> None:
    shapes = [re.compile(shape) for source in (*KERNEL, PLUGGY) for shape in _told(source)]
    titles = [*(f"### {state}" for state in get_args(State)), "## It runs, and fails"]
    explained = [reason for title in titles for reason in _reasons(title)]

    assert len(explained) > 30
    assert [
        reason for reason in explained if not any(shape.fullmatch(reason) for shape in shapes)
    ] == []


def test_each_explained_event_is_logged_by_the_program() -> None:
    logged = set(re.findall(r'\("(\w+_\w+)"', re.sub(r"\(\s+", "(", "\n".join(KERNEL))))
    logged |= {f"plugin_{state}" for state in get_args(State)}
    tails = set(re.findall(r'f"\{kind\}(_\w+)"', "\n".join(KERNEL)))
    logged |= {f"{kind}{tail}" for kind in ("page", "stream") for tail in tails}
    logged |= set(re.findall(r'Fault\(\w+, "(\w+)"', "\n".join(KERNEL)))
    rows = re.findall(
        r"^\|((?: ?`\w+_\w+`,?)+) \|", _section(DEBUG, "What the log says"), re.MULTILINE
    )
    explained = [event for row in rows for event in re.findall(r"`(\w+)`", row)]

    failing = _section(OPERATE, "Plugins").partition("### When a plugin fails")[2]
    explained += re.findall(r"`([a-z]+_[a-z_]+)`(?=[^|]* \|$)", failing, re.MULTILINE)

    assert len(explained) > 30
    assert [event for event in explained if event not in logged] == []


def _crash(terminal: Terminal, server: Server) -> None:
    """Call the method, and wait until `landyard plugins list` shows its error."""
    printed = terminal.run("landyard webhook add 1 --scope greeting")
    webhook = re.search(r"/rest/\S+", printed)
    assert webhook is not None, printed
    assert server.ask("POST", f"{webhook[0]}greeting.hello", {"name": ""})[0] == 500
    until = time.monotonic() + PATIENCE
    while "ZeroDivisionError" not in terminal.run("landyard plugins list"):
        assert time.monotonic() < until, "the list never shows the error"


def _section(document: str, title: str) -> str:
    return document.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _blocks(text: str) -> Sequence[tuple[str, str]]:
    found: list[Any] = FENCED.findall(text)
    return found


def _scripts(text: str) -> Iterator[str]:
    return (code for language, code in _blocks(text) if language == "sh")


def _lines(script: str) -> list[str]:
    return script.splitlines()


def _reasons(title: str) -> Iterator[str]:
    """The reasons explained under a title of the page."""
    section = DEBUG.partition(f"\n{title}\n")[2]
    section = re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0]
    for row in re.findall(r"^\| (`.+?) \| ", section, re.MULTILINE):
        yield from re.findall(r"`([^`]+)`", row)


def _told(source: str) -> Iterator[str]:
    """Regular expressions for a module's messages; texts with too few words of their own are left
    out.
    """
    for node in ast.walk(ast.parse(source)):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [
            part.value.replace("`", "'")
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
            else None
            for part in parts
        ]
        shape = "".join(".+" if text is None else re.escape(text) for text in texts)
        # The pages leave out the text after a colon.
        cut = (f"{shape[: found.end()]}…" for found in re.finditer(r":\\ ", shape))
        for each in (shape, *cut):
            said = re.sub(r"\\|\.\+", " ", each)
            if None not in texts or len(re.findall(r"[a-z]{2,}", said)) > 2 or shape in _BRIEF:
                yield each


# Two short messages that count too: an error with its place, and a hook that raised.
_BRIEF = (r".+\ in\ .+", r".+\ failed:\ .+")
