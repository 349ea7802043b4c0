"""What an unusable required parameter counts as, where there is no TYPE_ERROR (C9)."""

from collections.abc import Iterator
from typing import Any

import pytest
from kernel.sample import Brings
from msgspec import Struct

from landyard import Call, Id, MethodGroup, MissingParams, Plugin
from landyard.testing import Service

pytestmark = pytest.mark.rule("C9")


class Wants(Struct, frozen=True):
    block: Id
    data: dict[str, Any]
    selector: Any


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    group = MethodGroup()

    @group.method("sample.wants", errors=[MissingParams])
    def wants(call: Call, params: Wants) -> Wants:
        """Answer what was read."""
        return params

    with Service([Plugin("sample", Brings(group))]) as service:
        yield service


@pytest.mark.parametrize("block", ["x", "", True, [], {}, 1.5, -1, 0, 10**30])
def test_C9_an_unusable_id_names_nothing(service: Service, block: Any) -> None:
    sent = {"block": block, "data": {}, "selector": ""}

    assert service.result("sample.wants", sent)["block"] == 0


@pytest.mark.parametrize("data", ["x", "", 5, True, ["a"]])
def test_C9_unusable_data_is_missing(service: Service, data: Any) -> None:
    answer = service.call("sample.wants", {"data": data, "selector": "x"})

    assert answer.body["error_description"].endswith("missing: block, data")


@pytest.mark.parametrize("selector", ["", 5, True, [], {"a": 1}])
def test_C9_what_is_the_methods_own_rule_comes_as_it_was_sent(
    service: Service, selector: Any
) -> None:
    sent = {"block": "12", "data": [], "selector": selector}

    assert service.result("sample.wants", sent) == {"block": 12, "data": {}, "selector": selector}
