"""Which codes calls have really been answered with: all that methods declare, each by a test."""

import functools
from collections.abc import Iterable

import pytest

from landyard import Method
from landyard.web.wire import Incoming, split
from landyard_checks.testing import Answer, Service

REACHED = "codes"  # among the properties of a report, which also come back from workers
LISTED = 40

_answered: set[str] = set()


def declared(methods: Iterable[Method]) -> list[str]:
    """Name what is to be reached, `<method> <code>`; those of the platform's documents first."""
    named = {f"{method.name} {error.code}" for method in methods for error in method.errors}
    return sorted(named, key=lambda name: (not name.startswith("landing."), name))


def watch() -> None:
    """Note each code that a `Service` answers from now on, in this process."""
    send = Service.send

    @functools.wraps(send)
    def watched(service: Service, incoming: Incoming) -> Answer:
        answer = send(service, incoming)
        if answer.error is not None:
            method = service.kernel.methods.find(split(incoming.path)[0])
            if method is not None:
                _answered.add(f"{method.name} {answer.error}")
        return answer

    Service.send = watched  # type: ignore[method-assign]  # what all calls of tests pass


class Reached:
    """A plugin of pytest's: collects what the tests that passed were answered, and counts it.

    `whole`: all tests ran, so a code that is not among these answers has no test. It fails the run.
    """

    def __init__(self, config: pytest.Config, whole: bool) -> None:
        self._here = not hasattr(config, "workerinput")
        self._whole = whole and not config.getoption("lf", False)
        self._told: set[str] = set()
        self.reached: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Put into the report of a test that passed what was not in another before."""
        if call.when == "call":
            found = _answered - self._told if call.excinfo is None else set()
            item.user_properties.append((REACHED, sorted(found)))
            self._told |= found
        if call.when != "setup":
            _answered.clear()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            for name, found in report.user_properties:
                if name == REACHED and isinstance(found, list):
                    self.reached.update(found)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._here and self._whole and session.exitstatus == pytest.ExitCode.OK:
            if self._missing():
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._whole:
            return
        missing = self._missing()
        count = len(self._wanted)
        terminalreporter.line(f"codes: {count - len(missing)} of {count} reached")
        for name in missing[:LISTED]:
            terminalreporter.line(f"  not reached: {name}")
        if missing[LISTED:]:
            terminalreporter.line(f"  and {len(missing) - LISTED} more")

    def _missing(self) -> list[str]:
        return [name for name in self._wanted if name not in self.reached]

    @functools.cached_property
    def _wanted(self) -> list[str]:
        from contract.documents import METHODS  # it starts a kernel: only the whole suite pays

        return declared(METHODS)
