"""Each declared code is answered in some test: here `SYSTEM_ERROR` for all methods, and the counter
itself.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from contract.documents import METHODS
from contract.failing_database import broken
from contract.reached import REACHED, Reached, answered, declared
from contract.test_described_calls import DEMO_WORLD
from contract.test_rules import Lines
from contract.worlds import everything

from landyard import Method, SystemFailure
from landyard.testing import Service
from landyard_sitekit.demo import USER

# Names in the queries of plugins. Tables that hooks query before or after each call are left out.
# `area_count` is a column, because the frames have no table of their own.
ASKED = ["landing_", "demos_", "editing_", "repository_", "roles_", "area_count"]

FAILING = [method for method in METHODS if method.declares(SystemFailure)]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The demo service that the examples need; no call here changes anything."""
    with Service(world=DEMO_WORLD, raise_crashes=False) as made:
        yield made


@pytest.mark.parametrize("method", FAILING, ids=lambda method: method.name)
def test_C11_a_broken_database_is_SYSTEM_ERROR(service: Service, method: Method) -> None:
    assert method.example is not None
    before = everything(service)

    with broken(service, ASKED):
        answer = service.call(method.name, method.example.params, user=USER)

    assert (answer.status, answer.error) == (400, "SYSTEM_ERROR")
    assert "ZeroDivision" not in str(answer.body)
    assert everything(service) == before


def test_a_code_is_recorded_under_the_methods_own_name(service: Service) -> None:
    answered.clear()

    service.call("landing.landing.MOVE")
    service.call("landing.landing.none")
    service.call("methods")

    assert answered == {"landing.landing.move MISSING_PARAMS"}


@pytest.mark.parametrize(
    ("outcome", "left_out", "message", "status"),
    [
        ("passed", 0, "codes: {0} of {0} reached", pytest.ExitCode.OK),
        ("passed", 1, "codes: {1} of {0} reached", pytest.ExitCode.TESTS_FAILED),
        ("failed", 0, "codes: 0 of {0} reached", pytest.ExitCode.TESTS_FAILED),
    ],
)
def test_the_run_fails_for_a_code_that_no_passed_test_was_answered(
    request: pytest.FixtureRequest,
    outcome: Any,
    left_out: int,
    message: str,
    status: pytest.ExitCode,
) -> None:
    reached, terminal = Reached(request.config, whole=True, here=True), Lines()
    session: Any = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    wanted = declared(METHODS)
    found = [(REACHED, wanted[left_out:])]

    reached.pytest_runtest_logreport(
        pytest.TestReport("test", ("", 0, ""), {}, outcome, None, "call", user_properties=found)
    )
    reached.pytest_sessionfinish(session)
    reached.pytest_terminal_summary(terminal)  # type: ignore[arg-type]  # a line is all it writes

    assert terminal.written[0] == message.format(len(wanted), len(wanted) - 1)
    assert session.exitstatus == status
    assert (f"  not reached: {wanted[0]}" in terminal.written) is (status != pytest.ExitCode.OK)
