"""Findings: what the checks of a plugin came to."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Level = Literal["ok", "warning", "failure"]


class Finding(Struct, frozen=True):
    """What one check found: what was looked at, how bad it is, and why."""

    check: str
    level: Level
    reason: str


class Verdict(Struct, frozen=True):
    """All that was found of a plugin; it `passed` where nothing is a failure."""

    plugin: str
    shipped_by: str
    findings: Sequence[Finding]

    @property
    def passed(self) -> bool:
        return not self.count("failure")

    def count(self, level: Level) -> int:
        return sum(finding.level == level for finding in self.findings)


class Stage(Struct, frozen=True):
    """What the process of a trial says before it begins with a stage of its checks.

    `doing` is what it does there in particular, such as a call; that may take `seconds`.
    """

    begins: str
    seconds: float
    doing: str = ""

    def found(self, reason: str) -> "Finding":
        """Say what became of the process while it was at this."""
        return failure(self.begins or "end", f"{self.doing}: {reason}" if self.doing else reason)


def failure(check: str, reason: str) -> Finding:
    return Finding(check, "failure", reason)


def warning(check: str, reason: str) -> Finding:
    return Finding(check, "warning", reason)
