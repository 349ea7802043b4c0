"""Commands of the command line in tests: run in this process, and what they printed is read."""

from collections.abc import Callable
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from landyard.cli.main import main

Run = Callable[..., Result]


def landyard(*words: str, given: str | bytes = b"") -> Result:
    """Run a command, with something on its standard input."""
    return CliRunner().invoke(main, words, input=given)


def done(result: Result) -> str:
    """What a command has printed that went well."""
    assert result.exit_code == 0, result.output
    return result.stdout


def listing(result: Result) -> list[dict[str, Any]]:
    """The rows that a command has printed with `--json`."""
    listed: list[dict[str, Any]] = msgspec.json.decode(done(result))
    return listed


def failure(result: Result) -> str:
    """The one line that says what is wrong."""
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("Error: ")
    return lines[0]
