"""Third-party plugins that end or block the process: built-in commands go on, others name the
plugin.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.containment.scene import paths
from faulty.kit import Fault, install
from kernel.processes import Finished, landyard, serving
from kernel.supervised import until

_HOOK = "from landyard import Tables, hookimpl\n\n\n@hookimpl\ndef {}:\n    {}\n"
_EXIT, _HANG = "import os\n    os._exit(3)", "while True: pass"
DEADLY: Mapping[str, str] = {
    "exit": "import os\nos._exit(3)",
    "exit 0": "import os\nos._exit(0)",
    "signal": "import os\nos.kill(os.getpid(), 11)",
    "hang": "while True: pass",
    "sleep": "import time\ntime.sleep(3600)",
    "register exits": _HOOK.format("register_methods()", _EXIT),
    "register hangs": _HOOK.format("register_settings()", _HANG),
    "object exits": _HOOK.format("register_hooks(host)", _EXIT),
    "object hangs": _HOOK.format("register_hooks(host)", _HANG),
    "commands exit": _HOOK.format("register_commands()", _EXIT),
    "commands hang": _HOOK.format("register_commands()", _HANG),
}
HELLO = """
import click
from landyard import hookimpl


@click.command("hello")
def hello():
    click.echo("hello")


@hookimpl
def register_commands():
    return [hello]
"""
SOUND = Fault("sound", HELLO, "")


OURS = [
    ("user", "list"),
    ("webhook", "list", "--json"),
    ("page", "list"),
    ("trash", "list"),
    ("tasks", "list"),
    ("audit",),
    ("plugins", "list"),
    ("plugins", "disable", "faulty_deadly"),
]


def run(folder: Path, *words: str) -> Finished:
    """Run a command; fails for one that hangs."""
    return landyard(folder, *words, given=b"", **paths(folder))


def installed(folder: Path, kind: str) -> Path:
    install(folder / "installed", SOUND, Fault("deadly", DEADLY[kind], ""))
    return folder


@pytest.mark.parametrize("kind", DEADLY)
def test_built_in_commands_load_no_third_party_plugin(tmp_path: Path, kind: str) -> None:
    folder = installed(tmp_path, kind)
    done = [run(folder, *words) for words in OURS]

    assert [each.status for each in done] == [0] * len(OURS), done
    assert not any("deadly" in each.err for each in done)


def named(done: Finished) -> bool:
    """Tell whether the output names the plugin and a remedy."""
    return "landyard plugins disable faulty_deadly" in done.err


@pytest.mark.parametrize("kind", DEADLY)
def test_other_commands_name_the_plugin_and_a_remedy(tmp_path: Path, kind: str) -> None:
    done = run(installed(tmp_path, kind), "methods")

    assert (done.status, named(done)) == (0, True), done.err
    assert "landing.block.getlist" in done.out


@pytest.mark.parametrize("kind", ["exit", "hang"])
@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("hello",), 0, "hello"),
        (("--help",), 0, "hello"),
        (("settings", "--check"), 0, "right"),
        (("db", "upgrade"), 0, "up to date"),
        (("user", "add", "Ann"), 0, "Ann"),  # a plugin may subscribe to this
        (("page", "publish", "7"), 1, ""),  # there is no such page
        (("dump",), 1, ""),  # a part of the dump would be missing
        (("helo",), 2, ""),
    ],
)
def test_every_command_that_loads_plugins_names_the_culprit(
    tmp_path: Path, kind: str, words: tuple[str, ...], status: int, message: str
) -> None:
    done = run(installed(tmp_path, kind), *words)

    assert (done.status, named(done)) == (status, True), done.err
    assert message in done.out


def test_the_remedy_works(tmp_path: Path) -> None:
    many = [Fault(f"many_{number}", "while True: pass", "") for number in range(3)]
    install(tmp_path / "installed", SOUND, *many)
    done = run(tmp_path, "methods")
    for each in many:
        assert each.plugin in done.err
        assert run(tmp_path, "plugins", "disable", each.plugin).status == 0
    after = run(tmp_path, "dump")

    assert (after.status, after.err) == (0, "")


@pytest.mark.parametrize("kind", ["object exits", "register hangs"])
def test_a_service_starts_without_the_plugin_and_says_why(tmp_path: Path, kind: str) -> None:
    folder = installed(tmp_path, kind)
    with serving(folder, "--demo", **paths(folder)) as server:
        answer = server.ask("POST", f"{server.webhook}methods", {})[0]
        until(lambda: states(folder)["faulty_deadly"] == "failed")

        assert answer == 200
        assert states(folder)["faulty_sound"] == "enabled"


def states(folder: Path) -> dict[str, str]:
    rows: list[Any] = msgspec.json.decode(run(folder, "plugins", "list", "--json").out)
    return {row["name"]: row["state"] for row in rows}
