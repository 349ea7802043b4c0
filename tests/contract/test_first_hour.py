"""The first hour, as docs/operate.md has it: from nothing to a served site of one's own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clean import ROOT, build_wheel
from kernel.processes import environment, serving

OPERATE = (ROOT / "docs" / "operate.md").read_text()
SCRIPTS = dict(re.findall(r"^## (.+?)$.*?^```sh\n(.*?)^```$", OPERATE, re.DOTALL | re.MULTILINE))
INSTALL, START = (SCRIPTS[title].splitlines() for title in ("Install", "Start a service"))
HALF_AN_HOUR = 1800.0


def run(folder: Path, command: str, **more: str) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=HALF_AN_HOUR,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_what_starts_a_service_serves_its_site(tmp_path: Path) -> None:
    begins(tmp_path, Path(sys.executable).parent)


@pytest.mark.soak
def test_from_a_wheel_and_its_lock_it_takes_five_commands(tmp_path: Path) -> None:
    shutil.copy(build_wheel(ROOT), tmp_path)
    shutil.copy(ROOT / "requirements.lock", tmp_path)

    for command in INSTALL:
        run(tmp_path, command)
    begins(tmp_path, tmp_path / "landyard-venv" / "bin")

    assert len([*INSTALL, *START]) <= 5


def begins(folder: Path, programs: Path) -> None:
    """Follow what starts a service, and open the address that it has told."""
    init, serve = START
    told = run(folder, init, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    site = re.search(r"Site +http://[^/]+(/\S+)", told)
    assert site is not None, told
    with serving(folder, program=[str(programs / "landyard"), *serve.split()[1:]]) as server:
        status, _, page = server.ask("GET", site[1])

    assert (status, b"Tide &amp; Co" in page) == (200, True)
