"""The command line that printed instructions use to start the program."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from landyard_sitekit.commands.program import program, secret_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, without settings in the environment."""
    for name in [each for each in os.environ if each.startswith("LANDYARD_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "my site"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [".venv/bin/landyard", "serve"])
    return folder


def test_the_program_is_printed_as_any_terminal_starts_it(folder: Path) -> None:
    (folder / "landyard.toml").touch()

    words = shlex.split(program(Path("data")))

    assert words == [
        f"LANDYARD_DATA={folder}/data",
        f"LANDYARD_CONFIG={folder}/landyard.toml",
        f"{folder}/.venv/bin/landyard",
    ]


def test_settings_of_the_environment_are_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_PORT", "8307")
    monkeypatch.setenv("LANDYARD_TLS_CERTIFICATE", "mine.pem")
    monkeypatch.setenv("LANDYARD_DATABASE_URL", "sqlite:///mine.db")
    monkeypatch.setenv("LANDYARD_AUDIT__DAYS", "30")
    monkeypatch.setenv("LANDYARD_TEST_POSTGRES", "no setting")

    words = shlex.split(program(Path("data")))

    assert words[1:-1] == [
        "LANDYARD_AUDIT__DAYS=30",
        f"LANDYARD_DATABASE_URL=sqlite:///{folder}/mine.db",
        "LANDYARD_PORT=8307",
        f"LANDYARD_TLS_CERTIFICATE={folder}/mine.pem",
    ]
    assert secret_settings() == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("LANDYARD_DATABASE_URL", "postgresql://landyard:hush-hush@db/landyard"),
        ("LANDYARD_DATABASE_URL", "postgresql://db/landyard?password=hush-hush"),
        ("LANDYARD_DATABASE_URL", "hush-hush"),
        ("LANDYARD_METRICS__TOKEN", "hush-hush"),
        ("LANDYARD_FILES__URL", "s3://bucket/?region=x&secret_access_key=hush-hush"),
    ],
)
def test_a_secret_is_not_printed_and_its_absence_is_noted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setenv(name, text)
    monkeypatch.setattr(sys, "argv", ["/usr/bin/env"])
    command = program(Path("data"))

    there, elsewhere = (
        subprocess.run(
            ["sh", "-c", command], env=known, capture_output=True, text=True, check=False
        )
        for known in ({name: text}, {})
    )

    assert "hush" not in command
    assert secret_settings() == [name]
    assert f"{name}={text}\n" in there.stdout
    assert (elsewhere.stdout, name in elsewhere.stderr) == ("", True)
