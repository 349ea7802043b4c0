"""The log stream: it never blocks, loses as little as possible, and reports how much it lost."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from landyard.logs.stream import LogStream

LINE = "x" * 999 + "\n"


@pytest.fixture
def pipe() -> Iterator[tuple[int, LogStream]]:
    reading, writing = os.pipe()
    yield reading, LogStream(writing, lambda lines: f"lost {lines}\n")
    os.close(reading)
    os.close(writing)


def test_a_line_is_written_at_once(pipe: tuple[int, LogStream]) -> None:
    reading, stream = pipe
    stream.write("one\n")
    stream.write("two\n")

    assert os.read(reading, 100) == b"one\ntwo\n"


def test_lines_lost_to_a_slow_reader_are_counted_and_reported_once(
    pipe: tuple[int, LogStream],
) -> None:
    reading, stream = pipe
    for _ in range(500):
        stream.write(LINE)
    came = b""
    for _ in range(8):
        came += os.read(reading, 1 << 20)
        stream.write("then\n")

    lines = came.decode().splitlines()
    whole = lines.count(LINE.strip())
    logged = [line for line in lines if line.startswith("lost")]
    assert whole >= 120  # 64 KiB in the pipe, and as much in memory
    assert logged == [f"lost {500 - whole}"]
    assert set(lines) == {LINE.strip(), "then", logged[0]}


def test_a_child_leaves_waiting_lines_to_its_parent(pipe: tuple[int, LogStream]) -> None:
    reading, stream = pipe
    for number in range(100):
        stream.write(f"{number:0999}\n")
    if (child := os.fork()) == 0:
        os.read(reading, 1 << 20)
        stream.write("child\n")
        os._exit(0)
    os.waitpid(child, 0)

    assert os.read(reading, 1 << 20) == b"child\n"


def test_a_closed_descriptor_is_no_error() -> None:
    reading, writing = os.pipe()
    stream = LogStream(writing, lambda lines: f"lost {lines}\n")
    os.close(reading)
    os.close(writing)

    for _ in range(3):
        stream.write("lost\n")


def test_the_line_after_one_torn_by_a_full_disk_starts_on_a_new_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "log").open("ab") as file:
        streams = [LogStream(file.fileno(), lambda lines: f"lost {lines}\n") for _ in range(3)]
        with monkeypatch.context() as full:
            full.setattr("os.write", _until_full(os.write, 10))
            for stream in streams:
                stream.write("a line\n")
        for stream in reversed(streams):  # a stream other than the next one tore the line
            stream.write("then\n")

    lines = (tmp_path / "log").read_text().splitlines()
    assert [line for line in lines if line] == ["a line", "a l", *["lost 1", "then"] * 2, "then"]


def _until_full(write: Callable[[int, bytes], int], room: int) -> Callable[[int, bytes], int]:
    def some(descriptor: int, line: bytes) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, line[:room])
        room -= written
        return written

    return some
