"""The flight recorder: whatever ends a process, what ran in it is known."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from landyard.recorder import Death, Recorder, suspects
from landyard.seats import here, seated

WORKER = """
import ctypes, os, signal, sys, threading
from pathlib import Path
from landyard.recorder import Recorder
from landyard.seats import here, seated

recorder = Recorder(Path(sys.argv[1]))

def serve(plugin, calls, last):
    with seated(recorder.cell()) as seat:
        for _ in range(calls):
            seat.run(plugin, lambda: None)
        last(seat)

ready = threading.Barrier(3)
def wait(seat):
    seat.take("busy")
    ready.wait()
    threading.Event().wait()
def wait_in_kernel(seat):
    seat.take("writer")
    seat.aside(lambda: (ready.wait(), threading.Event().wait()))
threading.Thread(target=serve, args=("busy", 50, wait), daemon=True).start()
threading.Thread(target=serve, args=("writer", 1, wait_in_kernel), daemon=True).start()

def exit(): os._exit(3)
def segfault(): ctypes.string_at(0)
def kill(): os.kill(os.getpid(), signal.SIGKILL)
def imports():
    with recorder.during("broken"): os._exit(3)
def well(): recorder.close(); os._exit(0)
def idle(): os._exit(3)

ready.wait()
what = sys.argv[2]
if what in ("imports", "well"):
    globals()[what]()
serve("killer", 3, lambda seat: what == "idle" and idle() or seat.run("killer", globals()[what]))
"""


def die(folder: Path, what: str) -> int:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(folder), what], stderr=subprocess.DEVNULL
    )
    worker.wait(60)
    return worker.pid


@pytest.mark.parametrize("how", ["exit", "kill", "segfault"])
def test_a_process_that_dies_leaves_who_ran_and_the_likeliest_first(
    tmp_path: Path, how: str
) -> None:
    pid = die(tmp_path, how)

    (death,) = suspects(tmp_path)
    assert death == Death(pid, ("killer", "busy"), sure=True)
    assert death.likeliest == "killer"
    assert suspects(tmp_path) == []  # told once
    assert list(tmp_path.iterdir()) == []


def test_one_that_dies_of_an_import_leaves_whose(tmp_path: Path) -> None:
    die(tmp_path, "imports")

    assert [death.likeliest for death in suspects(tmp_path)] == ["broken"]


def test_one_that_dies_in_the_kernel_blames_nobody_who_did_not_run(tmp_path: Path) -> None:
    die(tmp_path, "idle")

    assert [death.suspects for death in suspects(tmp_path)] == [("busy",)]


def test_one_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    die(tmp_path, "well")

    assert suspects(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_one_that_lives_is_no_dead_one(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    with recorder.during("sample"):
        assert suspects(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 1
    recorder.close()
    assert list(tmp_path.iterdir()) == []


def test_of_many_who_ask_at_once_one_is_told(tmp_path: Path) -> None:
    for _ in range(3):
        die(tmp_path, "imports")
    together = threading.Barrier(8)

    def ask(_: int) -> list[Death]:
        together.wait()
        return suspects(tmp_path)

    with ThreadPoolExecutor(8) as pool:
        told = [death for deaths in pool.map(ask, range(8)) for death in deaths]

    assert len(told) == len({death.pid for death in told}) == 3


def test_a_seat_of_its_own_cell_is_free_again_after_its_thread(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    for _ in range(2_000):  # more than there are cells
        cell = recorder.cell()
        with seated(cell):
            here().take("sample")
        recorder.free(cell)
    with recorder.during("other"):
        (record,) = tmp_path.iterdir()
        kept = record.read_bytes()
    assert kept.count(b"sample") == kept.count(b"other") == 1
    recorder.close()


def test_more_plugins_and_threads_than_there_is_room_for_run_unrecorded(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    cells = [recorder.cell() for _ in range(600)]
    for number in range(2_000):
        with seated(cells[number % 600]) as seat:
            assert seat.run(f"plugin-{number}" + "é" * 100, lambda: 1) == 1
    for cell in cells:
        recorder.free(cell)
    recorder.close()


def test_where_nothing_can_be_written_the_worker_runs_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "workers").write_text("a file where the folder should be")

    recorder = Recorder(tmp_path / "workers")
    with recorder.during("sample"), seated(recorder.cell()) as seat:
        assert seat.run("sample", lambda: 1) == 1
    recorder.close()

    assert suspects(tmp_path / "workers") == []


def test_what_is_no_record_is_no_death_of_anybodys(tmp_path: Path) -> None:
    (tmp_path / "12-abc").write_bytes(b"short")
    (tmp_path / "13-abc").write_bytes(b"\xff" * 200_000)
    (tmp_path / "notes.txt").write_text("mine")

    assert [death.suspects for death in suspects(tmp_path)] == [(), ()]
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_a_record_is_the_owners_alone(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "workers")
    (record,) = (tmp_path / "workers").iterdir()
    assert (tmp_path / "workers").stat().st_mode & 0o777 == 0o700
    assert record.stat().st_mode & 0o777 == 0o600
    assert record.name.startswith(f"{os.getpid()}-")
    recorder.close()
