"""The program, as what is printed tells people to start it."""

import shlex
import sys
from pathlib import Path

import pytest

from landyard_landing.commands.program import program


def test_the_program_is_told_as_any_terminal_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my site"
    (folder / "data").mkdir(parents=True)
    (folder / "landyard.toml").touch()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("LANDYARD_CONFIG", raising=False)
    monkeypatch.setattr(sys, "argv", [".venv/bin/landyard", "serve"])

    told = shlex.split(program(Path("data")))

    assert told == [
        f"LANDYARD_DATA={folder}/data",
        f"LANDYARD_CONFIG={folder}/landyard.toml",
        f"{folder}/.venv/bin/landyard",
    ]
