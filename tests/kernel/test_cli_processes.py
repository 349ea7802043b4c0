"""The installed program: exit codes, streams, and a demo that is started twice."""

import os
import subprocess
from pathlib import Path

import msgspec
import pytest
from kernel.processes import (
    PATIENCE,
    command,
    environment,
    landyard,
    serving,
    serving_with_log,
)
from kernel.supervised import until

STOPPED = (0, -15, 143)  # uvicorn ends with the signal that stopped it


def test_a_failure_is_one_line_on_standard_error_and_1(tmp_path: Path) -> None:
    run = landyard(tmp_path, "load", "-", given=b'{"users": [{"id": "x"}]}')

    assert (run.status, run.out) == (1, "")
    assert len(run.err.splitlines()) == 1
    assert "users[0].id" in run.err


def test_a_plugin_that_cannot_start_is_one_line_and_the_rest_works(tmp_path: Path) -> None:
    _put(tmp_path, "strange", "raise RuntimeError('no such thing')")

    run = landyard(tmp_path, "methods", PYTHONPATH=str(tmp_path))
    whole = landyard(tmp_path, "dump", PYTHONPATH=str(tmp_path))

    assert run.status == 0
    assert "landing.block.getlist" in run.out
    assert len(run.err.splitlines()) == 1
    assert "plugin=strange" in run.err
    assert "distribution=strange" in run.err
    # A dump without a plugin's part would look complete.
    assert (whole.status, whole.out) == (1, "")
    assert "'strange' (strange 1.0)" in whole.err.splitlines()[-1]


def test_a_thread_started_by_a_plugin_does_not_hold_a_command(tmp_path: Path) -> None:
    begins = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    _put(tmp_path, "threaded", begins)

    runs = [landyard(tmp_path, word, PYTHONPATH=str(tmp_path)) for word in ("dump", "nothing")]

    assert [run.status for run in runs] == [0, 2]
    assert runs[0].out == "{}\n"


def test_output_of_a_plugins_import_is_not_in_a_dump(tmp_path: Path) -> None:
    _put(tmp_path, "talkative", "print('hello')\n")

    run = landyard(tmp_path, "dump", PYTHONPATH=str(tmp_path))

    assert (run.status, run.out) == (0, "{}\n")
    assert "hello" in run.err


def _put(folder: Path, name: str, source: str) -> None:
    """Install a plugin of one module."""
    (folder / f"{name}.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[landyard]\n{name} = {name}\n")


def test_two_upgrades_at_once_both_succeed(tmp_path: Path) -> None:
    running = [
        subprocess.Popen(
            [*command(), "db", "upgrade"],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=PATIENCE) for process in running]

    assert [process.returncode for process in running] == [0, 0], said
    assert landyard(tmp_path, "db", "check").status == 0


def test_on_a_terminal_the_demo_writes_its_log_to_a_file(tmp_path: Path) -> None:
    ours, its = os.openpty()
    words = [*command(), "serve", "--demo"]
    with (
        os.fdopen(its, "wb") as terminal,
        serving_with_log(terminal, tmp_path, words, {}) as server,
    ):
        assert server.stop() in STOPPED

    os.set_blocking(ours, False)
    nothing = r"unavailable|Input/output"
    with pytest.raises(OSError, match=nothing):
        os.read(ours, 1)
    os.close(ours)
    log_file = tmp_path / "data" / "demo.log"
    assert f"Log      {log_file}" in server.out
    assert "worker_ready" in log_file.read_text()


def test_a_second_demo_revokes_the_webhook_of_the_first(tmp_path: Path) -> None:
    with serving(tmp_path, "--demo") as server:
        first = server.webhook
        assert server.ask("POST", f"{first}methods")[0] == 200
        assert server.ask("GET", "/demo/")[0] == 200
        data = f"LANDYARD_DATA={tmp_path / 'data'}"
        assert f" {data} {command()[0]} page publish 10\n" in server.out
        # The plugins for apps start switched off, except in the demo.
        until(lambda: server.ask("POST", f"{first}app.info")[0] == 400)
        assert server.stop() in STOPPED
    assert "Traceback" not in server.err

    with serving(tmp_path, "--demo") as server:
        second = server.webhook
        assert server.ask("POST", f"{first}methods")[0] == 401
        assert server.ask("POST", f"{second}methods")[0] == 200

    listed = landyard(tmp_path, "webhook", "list", "--json").out
    assert [hook["active"] for hook in msgspec.json.decode(listed)] == [False, True]
    assert first.split("/")[3] not in listed
