"""Required parameters, and methods without TYPE_ERROR (C4, C7, C8, C9)."""

from collections.abc import Iterator
from typing import Any

import pytest
from corpora import read_data
from kernel.sample import post, sample_service

from landyard.testing import Service

ALL = {"lid": 1, "block": 2, "data": {}, "ids": [3]}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


@pytest.mark.rule("C8")
@pytest.mark.parametrize(
    ("sent", "named"), read_data(__file__, "ABSENT", list[tuple[dict[str, Any], str]])
)
def test_C8_every_absent_parameter_is_named(
    service: Service, sent: dict[str, Any], named: str
) -> None:
    answer = post(service, "sample.needs", sent)

    assert answer.status == 400
    assert answer.body == {
        "error": "MISSING_PARAMS",
        "error_description": f"Not enough call parameters, missing: {named}",
    }


@pytest.mark.rule("C7")
@pytest.mark.parametrize("data", [{}, [], {"a": ""}])
def test_C7_an_empty_object_counts_as_present(service: Service, data: Any) -> None:
    assert post(service, "sample.needs", {**ALL, "data": data}).error is None


@pytest.mark.rule("C7")
def test_C7_an_empty_string_counts_as_present_and_is_no_integer(service: Service) -> None:
    assert post(service, "sample.needs", {**ALL, "block": ""}).error == "TYPE_ERROR"


@pytest.mark.rule("C4")
def test_C4_unknown_parameters_are_ignored(service: Service) -> None:
    more: dict[str, Any] = {
        "start": "x",
        "order": {"ID": "ASC"},
        "filter": [],
        "bx24_request_id": "1",
        "": None,
    }

    assert post(service, "sample.needs", {**ALL, **more}).result["lid"] == 1


@pytest.mark.rule("C9")
@pytest.mark.parametrize(("name", "sent"), read_data(__file__, "UNUSABLE", list[tuple[str, Any]]))
def test_C9_an_unusable_optional_parameter_counts_as_absent(
    service: Service, name: str, sent: Any
) -> None:
    assert post(service, "sample.lenient", {name: sent}).result[name] is None


@pytest.mark.rule("C9")
def test_C9_an_unusable_member_of_an_object_counts_as_absent(service: Service) -> None:
    answer = post(service, "sample.lenient", {"nested": {"count": "x", "flag": 1}})

    assert answer.result["nested"] == {"count": 0, "flag": True}
