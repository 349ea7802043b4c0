"""Server processes with faulty plugins: which faults end the service, and which the list shows."""

import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kernel.cli.test_cli_plugins import DEADLY, of
from kernel.installing import install
from kernel.processes import free_port, landyard, serving


def installed(folder: Path) -> dict[str, Any]:
    """The environment of a process that finds the plugins installed in `folder`."""
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def test_a_server_lists_and_switches_a_plugin_that_would_end_it(
    tmp_path: Path, folder: Path
) -> None:
    install(folder, "gifts", "gift = gift_horse", DEADLY)

    runs = [
        landyard(tmp_path, "plugins", *words, **installed(folder))
        for words in (("disable", "gift"), ("show", "gift"), ("list", "--json"))
    ]

    assert [run.status for run in runs] == [0, 0, 0], runs[0].err
    assert of(msgspec.json.decode(runs[2].out), "gift")["state"] == "disabled"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_strict_service_with_a_failed_plugin_ends_with_one_line_and_1(
    tmp_path: Path, folder: Path, workers: str
) -> None:
    install(folder, "gifts", "gift = gift_horse", "raise OSError('no such thing')")

    words = ("serve", "--strict", "--workers", workers, "--port", str(free_port()))
    run = landyard(tmp_path, *words, **installed(folder))

    errors = [line for line in run.err.splitlines() if line.startswith("Error: ")]
    assert run.status == 1
    assert len(errors) == 1, run.err
    assert "plugin 'gift' (gifts 1.0): it cannot be imported: OSError" in errors[0]
    assert "Traceback" not in run.err


SETTING = """
from msgspec import Struct
from landyard import hookimpl

class Walls(Struct):
    height: int = 2

@hookimpl
def register_settings():
    return Walls
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_setting_that_only_a_worker_can_check_ends_the_service(
    tmp_path: Path, folder: Path, workers: str
) -> None:
    install(folder, "gifts", "gift = gift_horse", SETTING)
    wrong: dict[str, Any] = {"LANDYARD_GIFT__HEIGHT": "tall"}

    words = ("serve", "--workers", workers, "--port", str(free_port()))
    run = landyard(tmp_path, *words, **installed(folder), **wrong)

    assert run.status == 1
    assert "Error: gift.height: must be a whole number" in run.err
    assert "Traceback" not in run.err


def test_a_safe_service_starts_without_the_deadly_plugin(tmp_path: Path, folder: Path) -> None:
    install(folder, "gifts", "gift = gift_horse", DEADLY)

    with serving(tmp_path, "--safe", "--strict", **installed(folder)) as server:
        assert server.ask("GET", "/readyz")[0] == 200
        rows = landyard(tmp_path, "plugins", "list", "--json", **installed(folder)).out

    # The list shows a service with the present settings; only that server ran with `--safe`.
    assert of(msgspec.json.decode(rows), "gift")["state"] == "enabled"


def test_a_switch_reaches_a_running_service(tmp_path: Path, folder: Path) -> None:
    with serving(tmp_path, "--demo", "--workers", "2") as server:
        call = f"{server.webhook}methods"
        before = {server.ask("POST", call, {})[0] for _ in range(8)}
        switched = landyard(tmp_path, "plugins", "disable", "general")
        end = time.monotonic() + 30
        row = 0  # the number of answers in a row; both workers give some of them
        while row < 20 and time.monotonic() < end:
            row = row + 1 if server.ask("POST", call, {})[0] == 404 else 0
            time.sleep(0.01)

    assert before == {200}
    assert switched.status == 0
    assert row == 20
