"""A pytest plugin that counts which declared error codes some test really got as an answer."""

import functools
from collections.abc import Iterable
from typing import Any, cast

import pytest

from landyard import Method
from landyard.testing import Answer, Service
from landyard.web.wire import Incoming, split

REACHED = "codes"  # a user property of test reports, which xdist workers also send back
LISTED = 40

answered: set[str] = set()
"""The codes answered so far in the running test, as `<method> <code>`."""


def watch() -> None:
    """Record each code that a `Service` answers from now on, in this process."""
    send = Service.send

    @functools.wraps(send)
    def watched(service: Service, incoming: Incoming) -> Answer:
        answer = send(service, incoming)
        method = service.kernel.methods.find(split(incoming.path)[0])
        if answer.error is not None and method is not None:
            answered.add(f"{method.name} {answer.error}")
        return answer

    cast("Any", Service).send = watched  # every call goes through `send`


def declared(methods: Iterable[Method]) -> list[str]:
    """List every declared code, as `<method> <code>`; the platform's methods come first."""
    named = {f"{method.name} {error.code}" for method in methods for error in method.errors}
    return sorted(named, key=lambda name: (not name.startswith("landing."), name))


class Reached:
    """A pytest plugin: collects the codes that passed tests were answered.

    `whole`: all tests are selected, and the run fails for a code that no test was answered. `here`:
    this process receives the reports of all tests; it is no xdist worker.
    """

    def __init__(self, config: pytest.Config, *, whole: bool, here: bool) -> None:
        self._whole = whole and here and not config.getoption("lf", False)
        self._told: set[str] = set()
        self._reached: set[str] = set()

    # before the report is made, because the report copies the properties
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.when == "call" and call.excinfo is None:
            item.user_properties.append((REACHED, sorted(answered - self._told)))
            self._told |= answered
        # keep the codes of a fixture's calls for the test that uses the fixture
        if call.when != "setup":
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
        # this starts a kernel, so runs of a few tests skip it
        from contract.documents import METHODS

        return declared(METHODS)
