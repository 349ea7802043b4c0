"""Examine a plugin in this process, and report each step and finding to the parent process."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from msgspec import structs
from sqlmodel import SQLModel

from landyard.authoring.checks import behaving, declared, migrating
from landyard.authoring.checks.findings import Finding, Step, failure
from landyard.authoring.checks.leaving import Before
from landyard.authoring.checks.subject import Subject
from landyard.plugin_host.discovery import Found, found
from landyard.plugin_host.loading import PluginError, contribution, described, import_plugin

Check = Callable[[Subject], Iterator[Finding]]

_LONGEST = 900  # seconds
_CHECKS: Sequence[tuple[str, Check]] = (
    ("hooks", declared.hooks),
    ("methods", declared.methods),
    ("tables", migrating.tables),
    ("examples", behaving.examples),
    ("odd values", behaving.odd_values),
    ("jobs", behaving.jobs),
    ("pages", behaving.pages),
)


class Reporter:
    """Tells the parent process of each step that begins and of each finding."""

    def __init__(self, pipe: Connection) -> None:
        """Report through one end of a pipe."""
        self._pipe = pipe
        self._check = ""

    def begin(self, check: str, seconds: float = 60.0) -> None:
        """Begin a check that may take so many seconds."""
        self._check = check
        self._pipe.send(Step(check, seconds))

    def doing(self, what: str, seconds: float) -> None:
        """Say what the check does next."""
        self._pipe.send(Step(self._check, seconds, what))

    def report(self, findings: Sequence[Finding]) -> None:
        """Report what a check found; if that is nothing, that it passed."""
        for finding in findings or [Finding("ok")]:
            self._pipe.send(structs.replace(finding, check=self._check))


def run(name: str, pipe: Connection, folder: str, import_seconds: float) -> None:
    """Examine the plugin `name`, and end the process. It may write into the folder."""
    os.setsid()  # the parent ends it together with all that it has started
    signal.alarm(_LONGEST)  # a parent that was killed cannot end it
    os.chdir(folder)
    os.environ["TMPDIR"] = folder
    os.dup2(2, 1)  # standard output is for the verdict
    reporter = Reporter(pipe)
    before = Before(name)
    try:
        subject = _imported(name, reporter, Path(folder), import_seconds)
    except PluginError as error:
        reporter.report([failure(str(error))])
    else:
        for check_name, check in _CHECKS:
            reporter.begin(check_name)
            reporter.report(_findings(check, subject))
        reporter.begin("leftovers")
        reporter.report(list(before.findings()))
    reporter.begin("")
    os._exit(0)  # a thread or an exit handler that the plugin left would hold up a usual end


def _imported(name: str, reporter: Reporter, folder: Path, import_seconds: float) -> Subject:
    installed = {plugin.name: plugin for plugin in reversed(found())}
    reporter.begin("import of what it requires")
    others = [contribution(import_plugin(installed[need]), {}) for need in _needed(name, installed)]
    known = frozenset(SQLModel.metadata.tables)
    reporter.begin("import", import_seconds)
    brought = contribution(import_plugin(installed[name]), {})
    reporter.report([])
    tables = frozenset(SQLModel.metadata.tables) - known
    return Subject(brought, others, tables, folder, reporter.doing)


def _needed(name: str, installed: dict[str, Found]) -> list[str]:
    """Name the plugins that one requires, each behind those that it requires itself."""
    needed: list[str] = []
    for need in installed[name].requires:
        if need not in installed:
            raise PluginError(f"it requires '{need}', which is not installed")
        if need != name:
            needed += [*_needed(need, installed), need]
    return list(dict.fromkeys(needed))


def _findings(check: Check, subject: Subject) -> list[Finding]:
    findings: list[Finding] = []
    try:
        findings.extend(check(subject))
    except BaseException as error:  # noqa: BLE001 - whatever a plugin raises is a finding
        findings.append(failure(f"it cannot be examined: {described(error)}"))
    return findings
