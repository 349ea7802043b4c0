"""The findings of checks, and the verdict on a plugin."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct


class Finding(Struct, frozen=True):
    """A finding: its level, the reason with advice, the check's name, and the place `file:line`."""

    level: Literal["ok", "warning", "failure"]
    reason: str = ""
    check: str = ""
    place: str = ""


class Verdict(Struct, frozen=True):
    """All findings about a plugin; it `passed` unless one is a failure."""

    plugin: str
    shipped_by: str
    findings: Sequence[Finding]

    @property
    def passed(self) -> bool:
        return all(finding.level != "failure" for finding in self.findings)


class Step(Struct, frozen=True):
    """The next step of the child process, and the seconds that it may take.

    An empty `check` means that the examination has ended.
    """

    check: str = ""
    seconds: float = 60.0
    doing: str = ""

    def failed(self, reason: str) -> Finding:
        """Return the finding that the process failed at this step."""
        return Finding("failure", f"{self.doing}: {reason}" if self.doing else reason, self.check)


def failure(reason: str, place: str = "") -> Finding:
    return Finding("failure", reason, place=place)


def warning(reason: str, place: str = "") -> Finding:
    return Finding("warning", reason, place=place)


def described(error: BaseException) -> str:
    """Return an error as one line, e.g. `ZeroDivisionError: division by zero`."""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
