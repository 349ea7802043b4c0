"""Run commands in the test's process, and read their output."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from landyard import Console, Kernel
from landyard.cli.main import main

Run = Callable[..., Result]


class ConsoleOf(Console):
    """Replaces the console of commands, so that they work on the kernel of a test."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self._kernel = kernel

    @contextmanager
    def kernel(self, *, prepare: bool = True, whole: bool = False) -> Iterator[Kernel]:
        yield self._kernel


def landyard(*words: str, given: str | bytes = b"") -> Result:
    """Run a command, with this text on its standard input."""
    return CliRunner().invoke(main, words, input=given)


def done(result: Result) -> str:
    """Assert that the command succeeded, and return its output."""
    assert result.exit_code == 0, result.output
    return result.stdout


def listing(result: Result) -> list[dict[str, Any]]:
    """The rows that a command printed with `--json`."""
    listed: list[dict[str, Any]] = msgspec.json.decode(done(result))
    return listed


def failure(result: Result) -> str:
    """The single line that reports the mistake."""
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("Error: ")
    return lines[0]
