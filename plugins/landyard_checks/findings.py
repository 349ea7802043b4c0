"""Findings of the checks, and the verdict on a plugin that they add up to."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct


class Finding(Struct, frozen=True):
    """What a check found: how bad it is, why and what to do, the check's name, and `file:line`."""

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
    """What the child process does next, and how many seconds that may take.

    Without a `check` all is done.
    """

    check: str = ""
    seconds: float = 60.0
    doing: str = ""

    def failed(self, reason: str) -> Finding:
        """Report that the process did not survive this step."""
        return Finding("failure", f"{self.doing}: {reason}" if self.doing else reason, self.check)


def failure(reason: str, place: str = "") -> Finding:
    return Finding("failure", reason, place=place)


def warning(reason: str, place: str = "") -> Finding:
    return Finding("warning", reason, place=place)


def described(error: BaseException) -> str:
    """Name an error in one line, e.g. `ZeroDivisionError: division by zero`."""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
