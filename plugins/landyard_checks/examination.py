"""Examine a plugin in this process, and report each step and finding to the parent process."""

import functools
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from multiprocessing.connection import Connection
from pathlib import Path

from msgspec import structs

import landyard
from landyard import METADATA, PluginError
from landyard.testing import Found, brought, installed
from landyard_checks import behaving, declared, handlers, imports, migrating, safety, taken
from landyard_checks.findings import Finding, Step, described, failure
from landyard_checks.leaving import Before
from landyard_checks.source import Source, written
from landyard_checks.subject import Subject

Check = Callable[[Subject], Iterator[Finding]]

HOST = "landyard"
_LONGEST = 900  # seconds
_CHECKS: Sequence[tuple[str, Check]] = (
    ("hooks", declared.hooks),
    ("methods", declared.methods),
    ("tables", migrating.tables),
    ("examples", behaving.examples),
    ("safe writes", safety.safe_writes),
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
    every = installed()
    plugin = next(each for each in every if each.name == name)
    source = Source(plugin.value)
    reporter.begin("imports")
    reporter.report(_findings(lambda: imports.imports(source, plugin, every), source))
    reporter.begin("handlers")
    reporter.report(_findings(lambda: handlers.handlers(source), source))
    try:
        subject = _imported(plugin, every, source, reporter, import_seconds)
    except PluginError as error:
        reporter.report([failure(f"{error}{_advice(error)}", _place(error, source, plugin))])
    else:
        try:
            for check_name, check in _CHECKS:
                reporter.begin(check_name)
                reporter.report(_findings(functools.partial(check, subject), source))
        except PluginError as error:  # it does not start: each further check would say so
            reporter.report([failure(str(error), _place(error, source, plugin))])
        reporter.begin("leftovers")
        reporter.report(list(before.findings(source)))
        reporter.begin("names")
        reporter.report(_findings(lambda: taken.names(subject), source))
    reporter.begin("")
    os._exit(0)  # a thread or an exit handler that the plugin left would hold up a usual end


def _imported(
    plugin: Found,
    every: Sequence[Found],
    source: Source,
    reporter: Reporter,
    import_seconds: float,
) -> Subject:
    known = {each.name: each for each in reversed(every)}
    reporter.begin("import of what it requires")
    others = [brought(known[need]) for need in _needed(plugin.name, known)]
    for need in _ours(plugin.name, known):
        brought(known[need])  # a table of theirs that the plugin has is refused as it is declared
    reporter.begin("import", import_seconds)
    known_before = {*METADATA.tables}
    ours = brought(plugin)
    reporter.report([])
    tables = frozenset(METADATA.tables.keys() - known_before)
    return Subject(plugin, every, source, ours, others, tables, Path(), reporter.doing)


def _ours(name: str, installed: dict[str, Found]) -> list[str]:
    """Name the plugins that came with Landyard and are on, each behind those that it requires."""
    ours = [it for it in installed.values() if it.distribution == HOST and not it.contrib]
    every = [need for each in ours for need in (*_needed(each.name, installed), each.name)]
    return [each for each in dict.fromkeys(every) if each != name]


def _needed(name: str, installed: dict[str, Found]) -> list[str]:
    """Name the plugins that one requires, each behind those that it requires itself."""
    needed: list[str] = []
    for need in installed[name].requires:
        if need not in installed:
            raise PluginError(f"it requires '{need}', which is not installed")
        if need != name:
            needed += [*_needed(need, installed), need]
    return list(dict.fromkeys(needed))


def _findings(check: Callable[[], Iterator[Finding]], source: Source) -> list[Finding]:
    findings: list[Finding] = []
    try:
        findings.extend(check())
    except PluginError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a plugin raises is a finding
        place = source.of_error(error) or source.of_text(str(error))
        findings.append(failure(f"it cannot be examined: {described(error)}", place))
    return findings


def _place(error: PluginError, source: Source, plugin: Found) -> str:
    """Say where a plugin that cannot be loaded is wrong: at worst, where it is named."""
    missing = isinstance(error.__cause__, ModuleNotFoundError | AttributeError)
    if missing and not source.of_error(error):
        return written("entry_points.txt", plugin)
    return source.of_error(error) or source.of_text(str(error)) or source.start


def _advice(error: PluginError) -> str:
    """Say what to do about an import that failed, where it does not say it itself."""
    match error.__cause__:
        case ImportError(name="landyard") as wrong:
            name = re.findall(r"'(\w+)'", str(wrong))[0]
            close = get_close_matches(name, landyard.__all__, 1)
            return f"; did you mean {close[0]}?" if close else ""
        case ModuleNotFoundError() | AttributeError():
            return "; correct the import or the entry point in pyproject.toml, and install it again"
    return ""
