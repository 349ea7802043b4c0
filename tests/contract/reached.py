"""Which codes calls have really been answered with: each that a method declares, in some test."""

import functools
from collections.abc import Iterable
from typing import Any, cast

import pytest

from landyard import Method
from landyard.testing import Answer, Service
from landyard.web.wire import Incoming, split

REACHED = "codes"  # among the properties of a report, which also come back from workers
LISTED = 40

answered: set[str] = set()
"""What the test that runs was answered so far, `<method> <code>`."""


def watch() -> None:
    """Note each code that a `Service` answers from now on, in this process."""
    send = Service.send

    @functools.wraps(send)
    def watched(service: Service, incoming: Incoming) -> Answer:
        answer = send(service, incoming)
        method = service.kernel.methods.find(split(incoming.path)[0])
        if answer.error is not None and method is not None:
            answered.add(f"{method.name} {answer.error}")
        return answer

    cast("Any", Service).send = watched  # which all calls pass


def declared(methods: Iterable[Method]) -> list[str]:
    """Name what is to be answered, `<method> <code>`; of the platform's methods first."""
    named = {f"{method.name} {error.code}" for method in methods for error in method.errors}
    return sorted(named, key=lambda name: (not name.startswith("landing."), name))


class Reached:
    """A plugin of pytest's: counts the codes that tests were answered, of those that passed.

    `whole`: all tests are asked for; then the run fails for a code that none was answered.
    `here`: this process hears of all tests, and is no worker.
    """

    def __init__(self, config: pytest.Config, *, whole: bool, here: bool) -> None:
        self._whole = whole and here and not config.getoption("lf", False)
        self._told: set[str] = set()
        self._reached: set[str] = set()

    @pytest.hookimpl(tryfirst=True)  # before the report is made, which takes the properties along
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.when == "call" and call.excinfo is None:
            item.user_properties.append((REACHED, sorted(answered - self._told)))
            self._told |= answered
        if call.when != "setup":  # what fixtures called is the test's as well
            answered.clear()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = dict(report.user_properties).get(REACHED)
        if report.passed and isinstance(found, list):
            self._reached.update(found)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._whole and session.exitstatus == pytest.ExitCode.OK and self._missing:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._whole:
            return
        wanted, missing = len(self._wanted), self._missing
        terminalreporter.line(f"codes: {wanted - len(missing)} of {wanted} reached")
        for name in missing[:LISTED]:
            terminalreporter.line(f"  not reached: {name}")
        if missing[LISTED:]:
            terminalreporter.line(f"  and {len(missing) - LISTED} more")

    @property
    def _missing(self) -> list[str]:
        return [name for name in self._wanted if name not in self._reached]

    @functools.cached_property
    def _wanted(self) -> list[str]:
        from contract.documents import METHODS  # starts a kernel: a run of few tests need not

        return declared(METHODS)
