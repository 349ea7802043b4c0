"""The examination of a plugin in this process; steps and findings go to the parent process."""

import functools
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from multiprocessing.connection import Connection
from pathlib import Path

from msgspec import structs
from sqlmodel import SQLModel

import landyard
from landyard import PluginError
from landyard.testing import Found, brought, installed
from landyard_authoring import (
    behaviour,
    declared,
    handlers,
    imports,
    migration_runs,
    name_clashes,
    safety,
)
from landyard_authoring.findings import Finding, Step, described, failure
from landyard_authoring.leftovers import Before
from landyard_authoring.source import Source, metadata_place
from landyard_authoring.subject import Subject

Check = Callable[[Subject], Iterator[Finding]]

HOST = "landyard"
_LONGEST = 900  # seconds
_CHECKS: Sequence[tuple[str, Check]] = (
    ("hooks", declared.hooks),
    ("methods", declared.methods),
    ("tables", migration_runs.tables),
    ("examples", behaviour.examples),
    ("safe writes", safety.safe_writes),
    ("odd values", behaviour.odd_values),
    ("jobs", behaviour.jobs),
    ("pages", behaviour.pages),
)


class Reporter:
    """Sends each beginning step and each finding to the parent process."""

    def __init__(self, pipe: Connection) -> None:
        """Report through one end of a pipe."""
        self._pipe = pipe
        self._check = ""

    def begin(self, check: str, seconds: float = 60.0) -> None:
        """Begin a check that may take so many seconds."""
        self._check = check
        self._pipe.send(Step(check, seconds))

    def doing(self, what: str, seconds: float) -> None:
        """Announce the next action of the check, and how long it may take."""
        self._pipe.send(Step(self._check, seconds, what))

    def report(self, findings: Sequence[Finding]) -> None:
        """Report the findings of a check; without any, report that it passed."""
        for finding in findings or [Finding("ok")]:
            self._pipe.send(structs.replace(finding, check=self._check))


def run(name: str, pipe: Connection, folder: str, import_seconds: float) -> None:
    """Examine the plugin `name`, and end the process; files go into `folder`."""
    os.setsid()  # a new process group, which the parent kills as a whole
    signal.alarm(_LONGEST)  # in case the parent was killed
    os.chdir(folder)
    os.environ["TMPDIR"] = folder
    os.dup2(2, 1)  # the plugin prints to stderr; standard output is for the verdict
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
        except PluginError as error:  # it does not start, so further checks would fail, too
            reporter.report([failure(str(error), _place(error, source, plugin))])
        reporter.begin("leftovers")
        reporter.report(list(before.findings(source)))
        reporter.begin("names")
        reporter.report(_findings(lambda: name_clashes.names(subject), source))
    reporter.begin("")
    os._exit(0)  # a normal exit would wait for the plugin's threads and exit handlers


def _imported(
    plugin: Found,
    every: Sequence[Found],
    source: Source,
    reporter: Reporter,
    import_seconds: float,
) -> Subject:
    by_name = {each.name: each for each in reversed(every)}
    reporter.begin("import of what it requires")
    others = [brought(by_name[need]) for need in _needed(plugin.name, by_name)]
    for need in _ours(plugin.name, by_name):
        brought(
            by_name[need]
        )  # imported first, so that declaring a table of theirs again is refused
    reporter.begin("import", import_seconds)
    known_before = {*SQLModel.metadata.tables}
    contribution = brought(plugin)
    reporter.report([])
    tables = frozenset(SQLModel.metadata.tables.keys() - known_before)
    return Subject(plugin, every, source, contribution, others, tables, Path(), reporter.doing)


def _ours(name: str, installed: dict[str, Found]) -> list[str]:
    """Name Landyard's own plugins that are on, each after the plugins it requires."""
    shipped = [it for it in installed.values() if it.distribution == HOST and not it.contrib]
    every = [need for each in shipped for need in (*_needed(each.name, installed), each.name)]
    return [each for each in dict.fromkeys(every) if each != name]


def _needed(name: str, installed: dict[str, Found]) -> list[str]:
    """Name the plugins that `name` requires, directly or not, each after its own requirements."""
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
    except BaseException as error:  # noqa: BLE001 - any exception of a plugin is a finding
        place = source.of_error(error) or source.of_text(str(error))
        findings.append(failure(f"it cannot be examined: {described(error)}", place))
    return findings


def _place(error: PluginError, source: Source, plugin: Found) -> str:
    """Return the place of a loading error; at worst, that of the entry point."""
    missing = isinstance(error.__cause__, ModuleNotFoundError | AttributeError)
    if missing and not source.of_error(error):
        return metadata_place("entry_points.txt", plugin)
    return source.of_error(error) or source.of_text(str(error)) or source.start


def _advice(error: PluginError) -> str:
    """Return advice on a failed import; "" if the error's text is enough."""
    match error.__cause__:
        case ImportError(name="landyard") as wrong:
            name = re.findall(r"'(\w+)'", str(wrong))[0]
            close = get_close_matches(name, landyard.__all__, 1)
            return f"; did you mean {close[0]}?" if close else ""
        case ModuleNotFoundError() | AttributeError():
            return "; correct the import or the entry point in pyproject.toml, and install it again"
    return ""
