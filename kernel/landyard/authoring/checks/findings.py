"""Findings of the checks, and the verdict on a plugin that they add up to."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct


class Finding(Struct, frozen=True):
    """What a check found: how bad it is, why, and the name of the check."""

    level: Literal["ok", "warning", "failure"]
    reason: str = ""
    check: str = ""


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


def failure(reason: str) -> Finding:
    return Finding("failure", reason)
