"""An unusable required parameter of a method without TYPE_ERROR: how it counts (C9)."""

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
        """Answer the parameters as they were read."""
        return params

    with Service([Plugin("sample", Brings(group))]) as service:
        yield service


@pytest.mark.parametrize("block", ["x", "", True, [], {}, 1.5, -1, 0, 10**30])
def test_C9_an_unusable_id_names_nothing(service: Service, block: Any) -> None:
    sent = {"block": block, "data": {}, "selector": ""}

    assert service.result("sample.wants", sent)["block"] == 0


@pytest.mark.parametrize("data", ["x", "", 5, True, ["a"]])
def test_C9_an_unusable_object_counts_as_missing(service: Service, data: Any) -> None:
    answer = service.call("sample.wants", {"data": data, "selector": "x"})

    assert answer.body["error_description"].endswith("missing: block, data")


@pytest.mark.parametrize("selector", ["", 5, True, [], {"a": 1}])
def test_C9_a_value_judged_by_the_method_itself_is_passed_unchanged(
    service: Service, selector: Any
) -> None:
    sent = {"block": "12", "data": [], "selector": selector}

    assert service.result("sample.wants", sent) == {"block": 12, "data": {}, "selector": selector}
