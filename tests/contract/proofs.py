"""Which rules the tests of a run prove: what they cite, and how they ended."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from contract.rules import RULES

TESTS = Path(__file__).parents[1]
CITED = "rules"  # among the properties of a report, which also come back from workers
LISTED = 20
EVERY_DAY = "not slow and not soak and not lint"  # as pyproject.toml has it
WITH_SLOW = "not soak and not lint"


class Proofs:
    """A plugin of pytest's: notes the rules that tests cite, and says at the end which are proven.

    `whole`: all tests are asked for, so a rule that none of them cites has no test.
    """

    def __init__(self, config: pytest.Config) -> None:
        asked = {(config.invocation_params.dir / each).resolve() for each in config.args}
        chosen = config.option.keyword or config.option.markexpr not in (EVERY_DAY, WITH_SLOW)
        self.whole = not chosen and not asked.isdisjoint((TESTS, *TESTS.parents))
        self.cited: dict[str, str] = {}
        self._passed: set[str] = set()
        self._failed: set[str] = set()

    @pytest.hookimpl(tryfirst=True)  # before `-m` and `-k` take any away
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
        """Count the rules with a test that passed and none that failed.

        A part of the tests answers for the rules they cite, all of them for every rule.
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
