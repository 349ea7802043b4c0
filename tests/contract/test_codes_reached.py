"""Codes that no other test is answered with, a call each: see `reached.py`."""

from collections.abc import Iterator

import msgspec
import pytest
from contract.broken import broken
from contract.documents import METHODS
from contract.test_described_calls import DEMO_WORLD
from contract.worlds import everything

from landyard import Method, SystemFailure
from landyard_checks.testing import Service
from landyard_landing.demo import USER

# Tables of plugins, besides those that are asked for before a call and after it; and a column of
# the frames, which are in no table.
ASKED = ["landing_", "demos_", "editing_", "repository_", "roles_", "area_count"]

FAILING = [method for method in METHODS if method.declares(SystemFailure)]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The demo, as examples need it; no call here changes anything."""
    with Service(world=DEMO_WORLD, raise_crashes=False) as made:
        yield made


@pytest.fixture(scope="module")
def before(service: Service) -> dict[str, list[str]]:
    return everything(service)


@pytest.mark.parametrize("method", FAILING, ids=lambda method: method.name)
def test_C11_a_database_that_breaks_is_SYSTEM_ERROR(
    service: Service, before: dict[str, list[str]], method: Method
) -> None:
    assert method.example is not None

    with broken(service, ASKED):
        answer = service.call(method.name, method.example.params, user=USER)

    assert (answer.status, answer.error) == (400, "SYSTEM_ERROR")
    assert "ZeroDivision" not in str(answer.body)
    assert everything(service) == before
