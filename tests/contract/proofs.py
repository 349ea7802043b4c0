"""A pytest plugin that counts which rules are proven: the tests that cite a rule, and their
outcome.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from contract.rules import RULES

TESTS = Path(__file__).parents[1]
CITED = "rules"  # a user property of test reports, which xdist workers also send back
LISTED = 20
EVERY_DAY = "not slow and not soak and not lint"  # the marker's name in pyproject.toml
WITH_SLOW = "not soak and not lint"


class Proofs:
    """A pytest plugin: collects the rules that tests cite, and reports at the end which are proven.

    `whole`: all tests are selected, so a rule that no test cites is reported as untested.
    """

    def __init__(self, config: pytest.Config) -> None:
        paths = {(config.invocation_params.dir / each).resolve() for each in config.args}
        chosen = config.option.keyword or config.option.markexpr not in (EVERY_DAY, WITH_SLOW)
        self.whole = not chosen and not paths.isdisjoint((TESTS, *TESTS.parents))
        self.cited: dict[str, str] = {}
        self._passed: set[str] = set()
        self._failed: set[str] = set()

    @pytest.hookimpl(tryfirst=True)  # before `-m` and `-k` deselect tests
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            names = list(_cited(item))
            item.user_properties.append((CITED, names))
            self.cited.update(dict.fromkeys(names, item.nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        names = dict(report.user_properties).get(CITED)
        if isinstance(names, list):
            if report.failed:
                self._failed.update(names)
            elif report.passed and report.when == "call":
                self._passed.update(names)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Count the rules with at least one passed test and no failed test.

        A partial run counts only the rules its tests cite; a whole run counts every rule.
        """
        seen = self._passed | self._failed
        if not seen:
            return
        rules = list(RULES) if self.whole else sorted(seen)
        unproven = [name for name in rules if name not in self._passed - self._failed]
        terminalreporter.line(f"rules: {len(rules) - len(unproven)} of {len(rules)} proven")
        for name in unproven[:LISTED]:
            terminalreporter.line(f"  not proven: {name} ({RULES.get(name, 'no such rule')})")
        if unproven[LISTED:]:
            terminalreporter.line(f"  and {len(unproven) - LISTED} more")


def _cited(item: pytest.Item) -> Iterator[str]:
    for mark in item.iter_markers("rule"):
        yield from mark.args
