"""Every rule has a test that cites it, and tests cite only registered rules."""

from typing import Any

import pytest
from contract.proofs import CITED, Proofs
from contract.rules import RULES


@pytest.fixture
def proofs(request: pytest.FixtureRequest) -> Proofs:
    """The rules and outcomes that this run collected."""
    proofs = request.config.pluginmanager.get_plugin("proofs")
    assert isinstance(proofs, Proofs)
    return proofs


def test_every_rule_is_cited_by_a_test(proofs: Proofs) -> None:
    if not proofs.whole:
        pytest.skip("only all tests together cite every rule")

    uncited = [name for name in RULES if name not in proofs.cited]
    assert not uncited, f"no test cites: {', '.join(uncited)}"


def test_tests_cite_only_registered_rules(proofs: Proofs) -> None:
    unknown = {name: test for name, test in proofs.cited.items() if name not in RULES}
    assert not unknown, f"rules.py has no such names: {unknown}"


class Lines:
    """A terminal that keeps the lines of the summary."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def line(self, text: str) -> None:
        self.written.append(text)


@pytest.mark.parametrize(
    ("reports", "said"),
    [
        ([("call", "passed")], "rules: 1 of 1 proven"),
        ([("call", "passed"), ("call", "skipped")], "rules: 1 of 1 proven"),
        ([("call", "passed"), ("call", "failed")], "rules: 0 of 1 proven"),
        ([("call", "passed"), ("teardown", "failed")], "rules: 0 of 1 proven"),
        ([("setup", "failed")], "rules: 0 of 1 proven"),
        ([("setup", "passed"), ("call", "skipped")], None),
    ],
)
def test_a_rule_is_proven_by_a_test_that_passed_and_none_that_failed(
    request: pytest.FixtureRequest, reports: list[tuple[Any, Any]], said: str | None
) -> None:
    proofs, terminal = Proofs(request.config), Lines()
    proofs.whole = False

    for when, outcome in reports:
        report = pytest.TestReport(
            "test", ("", 0, ""), {}, outcome, None, when, user_properties=[(CITED, ["C5"])]
        )
        proofs.pytest_runtest_logreport(report)
    proofs.pytest_terminal_summary(terminal)  # type: ignore[arg-type]  # a line is all it writes

    assert terminal.written[:1] == ([] if said is None else [said])
