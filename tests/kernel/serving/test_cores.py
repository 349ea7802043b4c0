"""Each worker is kept to a core of its own while there are enough."""

import os
import sys
from pathlib import Path

import pytest
from kernel.forked import start
from kernel.supervised import until

CLAIM = """
import os, sys
from landyard.serving.cores import claim_core
print(claim_core(), sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.readline()
"""
ON_LINUX = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")


def claims(temp: Path, count: int) -> list[str]:
    """Start workers one after another, all alive at once; return each one's answer."""
    script = temp / "worker.py"
    script.write_text(CLAIM)
    variables = {**os.environ, "TMPDIR": str(temp)}
    reads, writes = os.pipe()  # closing the pipe ends the workers
    said, workers = [], []
    with os.fdopen(reads, "rb") as given, os.fdopen(writes, "wb"):
        for number in range(count):
            told = temp / f"{number}.told"
            with told.open("wb") as out:
                words = [sys.executable, str(script)]
                workers.append(start(words, temp, variables, given, out, out))
            until(lambda: told.read_text().endswith("\n"), told.read_text)  # noqa: B023
            said.append(told.read_text().strip())
    for each in workers:
        each.wait(10)
    return said


@ON_LINUX
def test_each_worker_has_a_core_of_its_own_while_there_are_enough(tmp_path: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))

    said = claims(tmp_path, len(cores) + 1)

    assert sorted(said) == sorted([*(f"{core} [{core}]" for core in cores), f"None {cores}"])


@ON_LINUX
def test_a_core_is_free_again_when_its_worker_is_gone(tmp_path: Path) -> None:
    assert claims(tmp_path, 1) == claims(tmp_path, 1)


@ON_LINUX
def test_an_unusable_file_stops_no_worker(tmp_path: Path) -> None:
    for core in os.sched_getaffinity(0):
        (tmp_path / f"landyard-{os.getuid()}-core-{core}.lock").symlink_to("elsewhere")

    assert claims(tmp_path, 1) == [f"None {sorted(os.sched_getaffinity(0))}"]
