"""The process of a trial: examines one plugin, and tells what it finds as it goes.

Its parent starts it, with the number of a pipe to write to: the plugin may print what it likes.
"""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from landyard.checks import behaving, declared, migrating
from landyard.checks.findings import Finding, Stage, failure, warning
from landyard.checks.leaving import Traces
from landyard.checks.subject import Subject, table_names
from landyard.discovery import Found, found
from landyard.plugins import (
    PluginError,
    contribution,
    described,
    import_plugin,
)

_SLOW_IMPORT = 3.0  # seconds
_USUAL = 60.0  # seconds for a stage
_AT_LAST = 900

Check = Callable[[Subject], Iterator[Finding]]


class Teller:
    """Tells the parent, by a line of JSON for each stage and finding."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self.stage = ""

    def begin(self, stage: str, seconds: float = _USUAL) -> None:
        self.stage = stage
        self._write(Stage(stage, seconds))

    def doing(self, what: str, seconds: float) -> None:
        """Say what is done in the stage under way."""
        self._write(Stage(self.stage, seconds, what))

    def tell(self, findings: Sequence[Finding], otherwise: str) -> None:
        """Tell what a stage found; where that is nothing, what it has passed with."""
        for finding in findings or [Finding(self.stage, "ok", otherwise)]:
            self._write(finding)

    def _write(self, said: Stage | Finding) -> None:
        os.write(self._pipe, msgspec.json.encode(said) + b"\n")


def main(name: str, pipe: int, import_seconds: float) -> None:
    """Examine the plugin `name`."""
    teller = Teller(pipe)
    installed = {plugin.name: plugin for plugin in reversed(found())}
    traces = Traces(name)
    with tempfile.TemporaryDirectory(prefix="landyard-check-") as folder:
        try:
            subject = _start(name, installed, teller, Path(folder), import_seconds)
        except PluginError as error:
            teller.tell([failure(teller.stage, str(error))], "")
        else:
            traces.look()  # before a service mends what was patched
            for stage, check, otherwise in _stages(subject):
                teller.begin(stage)
                teller.tell(_found_by(check, subject, stage), otherwise)
            teller.begin("leftovers")
            teller.tell(list(traces.findings()), "none")
    teller.begin("")  # it has come to its end


def _start(
    name: str, installed: dict[str, Found], teller: Teller, folder: Path, import_seconds: float
) -> Subject:
    teller.begin("import of what it requires")
    needed = _needed(name, installed)
    others = [contribution(import_plugin(installed[need]), {}) for need in needed]
    known = table_names()
    teller.begin("import", import_seconds)
    started = time.perf_counter()
    plugin = import_plugin(installed[name])
    taken = time.perf_counter() - started
    slow = [warning("import", f"it took {taken:.1f} s")] if taken > _SLOW_IMPORT else []
    teller.tell(slow, f"{taken:.2f} s")
    teller.begin("start", import_seconds)
    brought = contribution(plugin, {})
    return Subject(plugin, brought, others, table_names() - known, folder, teller.doing)


def _needed(name: str, installed: dict[str, Found]) -> list[str]:
    """Name what a plugin requires, what those require in front of them."""
    needed: list[str] = []
    for need in installed[name].requires:
        if need not in installed:
            raise PluginError(f"it requires '{need}', which is not installed")
        if need != name:
            needed += [*_needed(need, installed), need]
    return list(dict.fromkeys(needed))


def _stages(subject: Subject) -> Iterator[tuple[str, Check, str]]:
    """Go through the stages, each with its name and what to say where it finds nothing."""
    brought = subject.brought
    methods = _counted(subject.methods, "method")
    jobs = _counted(brought.jobs, "job")
    examples = [method for method in subject.methods if method.example is not None]
    yield "hooks", declared.hooks, "all of them are called"
    yield "methods", declared.methods, methods
    yield "settings", declared.settings, _counted(list(brought.sections), "section")
    yield "jobs", declared.jobs, jobs
    yield "tables", migrating.tables, _counted(list(subject.tables), "table")
    yield "examples", behaving.examples, _counted(examples, "example")
    yield "odd values", behaving.odd_values, methods
    yield "strangers", behaving.strangers, "refused"
    yield "work", behaving.jobs, jobs
    yield "company", behaving.company, "nothing of its is taken"
    yield "pages", behaving.pages, "built" if subject.has("register_routes") else "none"


def _found_by(check: Check, subject: Subject, stage: str) -> list[Finding]:
    findings: list[Finding] = []
    try:
        findings.extend(check(subject))
    except BaseException as error:  # noqa: BLE001 - whatever a plugin raises is a finding
        findings.append(failure(stage, f"it cannot be examined: {described(error)}"))
    return findings


def _counted(items: Sequence[object], noun: str) -> str:
    """Count, e.g. `3 methods`."""
    if not items:
        return "none"
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"


if __name__ == "__main__":
    signal.alarm(_AT_LAST)  # a parent that was killed cannot end it
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
    # Not by the usual way: a thread or an exit handler that a plugin left would hold it up.
    os._exit(0)
