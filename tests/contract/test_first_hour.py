"""The first hour, as README.md and docs/operate.md print it: from an empty machine to a site."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clean import ROOT, build_wheel
from kernel.processes import environment, serving


def scripts(document: str, title: str) -> list[list[str]]:
    """The commands of a section, one list per code block."""
    text = (ROOT / document).read_text()
    section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return [[line.partition(" #")[0].strip() for line in block.splitlines()] for block in blocks]


_, README = scripts("README.md", "See it")
CHECKOUT, RELEASE = scripts("docs/operate.md", "Install")
START = scripts("docs/operate.md", "Start a service")[0]
WAYS = {"README": README, "checkout": [*CHECKOUT, *START], "release": [*RELEASE, *START]}
WITH_ANSWERS = START[0].partition(" init ")[2]
HALF_AN_HOUR = 1800.0


@pytest.mark.parametrize("way", WAYS)
def test_five_commands_lead_from_an_empty_machine_to_a_site(way: str) -> None:
    commands = WAYS[way]

    assert len(commands) <= 5
    # Each is a single command, run in the first folder, and needs no variable set before.
    assert [each for each in commands if re.search(r"[;&|\\\n]|^cd |^\w+=", plain(each))] == []
    assert commands[-1].endswith("landyard serve")


def plain(command: str) -> str:
    """The command without its quoted parts."""
    return re.sub(r'"[^"]*"', "…", command)


def test_the_start_commands_serve_the_site(tmp_path: Path) -> None:
    (tmp_path / "landyard-venv").symlink_to(Path(sys.executable).parents[1])

    begins(tmp_path, *START)


@pytest.mark.soak
@pytest.mark.parametrize("way", WAYS)
def test_the_commands_work_as_printed_on_a_bare_machine(tmp_path: Path, way: str) -> None:
    shutil.copy(build_wheel(ROOT), tmp_path)
    shutil.copy(ROOT / "requirements.lock", tmp_path)

    *install, init, serve = WAYS[way]
    for command in install:
        run(tmp_path, command.replace("REPOSITORY", str(ROOT)))

    begins(tmp_path, init if "--name" in init else f"{init} {WITH_ANSWERS}", serve)


def begins(folder: Path, init: str, serve: str) -> None:
    """Run the start commands, and open the address that the first one prints."""
    output = run(folder, init)
    site = re.search(r"Site +http://[^/]+(/\S+)", output)
    assert site is not None, output
    program, word = serve.split()
    with serving(folder, program=[str(folder / program), word]) as server:
        status, _, page = server.ask("GET", site[1])

    assert (status, b"Tide &amp; Co" in page) == (200, True)


def run(folder: Path, command: str) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=HALF_AN_HOUR,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout
