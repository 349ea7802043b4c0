"""Cores: each worker keeps to one that no other holds, and serves where it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CLAIM = """
import os, sys
from landyard.serving.cores import claim_core
print(claim_core(), sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.readline()
"""
ON_LINUX = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")


def worker(temp: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM],
        env={**os.environ, "TMPDIR": str(temp)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def claims(temp: Path, count: int) -> list[str]:
    """Start workers one after the other, all alive at once; what each says."""
    workers = [worker(temp) for _ in range(count)]
    try:
        said = []
        for each in workers:
            assert each.stdout is not None
            said.append(each.stdout.readline().strip())
        return said
    finally:
        for each in workers:
            each.communicate("\n", timeout=10)


@ON_LINUX
def test_each_worker_has_a_core_of_its_own_while_there_are_any(tmp_path: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))

    said = claims(tmp_path, len(cores) + 1)

    assert sorted(said) == sorted([*(f"{core} [{core}]" for core in cores), f"None {cores}"])


@ON_LINUX
def test_a_core_is_free_again_when_its_worker_is_gone(tmp_path: Path) -> None:
    assert claims(tmp_path, 1) == claims(tmp_path, 1)


@ON_LINUX
def test_a_file_that_cannot_be_used_stops_nobody(tmp_path: Path) -> None:
    for core in os.sched_getaffinity(0):
        (tmp_path / f"landyard-{os.getuid()}-core-{core}.lock").symlink_to("elsewhere")

    assert claims(tmp_path, 1) == [f"None {sorted(os.sched_getaffinity(0))}"]
