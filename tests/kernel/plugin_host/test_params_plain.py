"""Parameters of the plain types: integers, ids, booleans, texts, numbers (C5, C6, C7, C10)."""

from collections.abc import Iterator
from typing import Any

import pytest
from corpora import read_data
from kernel.sample import post, sample_service
from tables import for_each

from landyard.testing import Answer, Service

MAX = 2**63 - 1


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


def read(service: Service, name: str, value: Any) -> Any:
    return post(service, "sample.kinds", {name: value}).result[name]


def refused(service: Service, name: str, value: Any) -> Answer:
    answer = post(service, "sample.kinds", {name: value})
    assert (answer.status, answer.error) == (400, "TYPE_ERROR")
    return answer


@pytest.mark.rule("C5")
@for_each("sent, number", read_data(__file__, "INTEGERS", list[tuple[Any, int]]))
def test_C5_spellings_of_integers(service: Service, sent: Any, number: int) -> None:
    assert read(service, "integer", sent) == number


NO_INTEGERS = [True, False, "12abc", "", " ", "1.0", " 12", "12 ", "+12", "012", "-0", "1e3", "0x1"]
NO_INTEGERS += ["\u0661", "\uff11", 1.5, [], [12], {}, {"a": 1}]


@pytest.mark.rule("C5")
@for_each("sent", NO_INTEGERS)
@pytest.mark.parametrize("name", ["integer", "id"])
def test_C5_other_values_are_no_integers(service: Service, name: str, sent: Any) -> None:
    refused(service, name, sent)


@pytest.mark.rule("C5")
@pytest.mark.parametrize("sent", [2**63, 2**64, 10**30, -(10**30), str(10**20), 1e300, 0, -1, "-7"])
def test_C5_integers_that_name_no_row(service: Service, sent: Any) -> None:
    assert read(service, "id", sent) == 0


HUGE = pytest.param(10**400, id="400 digits")
LONG = pytest.param("9" * 10_000, id="10,000 digits")
DEEP = pytest.param("[" * 100_000, id="brackets")


@pytest.mark.rule("C5")
@pytest.mark.parametrize("sent", [2**63, HUGE, 1e300, str(2**64), "9" * 32, LONG])
def test_C5_integers_beyond_64_bits_are_clamped(service: Service, sent: Any) -> None:
    assert read(service, "integer", sent) == MAX


@pytest.mark.rule("C5")
@pytest.mark.parametrize(
    ("sent", "ids"),
    [
        (12, [12]),
        ("12", [12]),
        ([3, "1", 2.0], [3, 1, 2]),
        ([2, 2, "2", 1], [2, 1]),
        ({"10": 3, "9": 2}, [2, 3]),
        ([10**30], [0]),
    ],
)
def test_C5_spellings_of_ids(service: Service, sent: Any, ids: list[int]) -> None:
    assert read(service, "ids", sent) == ids


@pytest.mark.rule("C5")
@pytest.mark.parametrize("sent", [True, "a", {}, [[1]], [None], [True], [1, ""], 1.5])
def test_C5_other_values_are_no_ids(service: Service, sent: Any) -> None:
    refused(service, "ids", sent)


YES = [True, 1, "1", "Y", "y", "yes", "YES", "on", "On", "true", "TRUE", "True"]
NO = [False, 0, "0", "N", "n", "no", "No", "off", "OFF", "false", "False", ""]


@pytest.mark.rule("C6")
@pytest.mark.parametrize("name", ["boolean", "truthy"])
@pytest.mark.parametrize(
    ("sent", "expected"), [*((each, True) for each in YES), *((each, False) for each in NO)]
)
def test_C6_spellings_of_booleans(service: Service, name: str, sent: Any, expected: bool) -> None:
    assert read(service, name, sent) is expected


NEITHER = [2, -1, 0.5, "2", "maybe", " ", "y ", "\u0443", [0], {"a": 0}]


@pytest.mark.rule("C6")
@pytest.mark.parametrize("sent", [*NEITHER, [], {}])
def test_C6_any_other_value_is_a_wrong_type(service: Service, sent: Any) -> None:
    refused(service, "boolean", sent)


@pytest.mark.rule("C6")
@pytest.mark.parametrize("sent", NEITHER)
def test_C6_any_other_non_empty_value_is_true(service: Service, sent: Any) -> None:
    assert read(service, "truthy", sent) is True


@pytest.mark.rule("C6")
@pytest.mark.parametrize("sent", [[], {}])
def test_C6_any_other_empty_value_is_false(service: Service, sent: Any) -> None:
    assert read(service, "truthy", sent) is False


@pytest.mark.parametrize(
    ("sent", "text"),
    [("x", "x"), ("", ""), (5, "5"), (1.5, "1.5"), (True, "true"), (False, "false")],
)
def test_P5_scalars_are_read_as_text(service: Service, sent: Any, text: str) -> None:
    assert read(service, "text", sent) == text


def test_P5_an_integer_beyond_64_bits_is_read_as_text(service: Service) -> None:
    assert read(service, "text", 10**30) == str(10**30)


@pytest.mark.parametrize(("sent", "number"), [(5, 5.0), (1.5, 1.5), ("2.5", 2.5), ("1e3", 1000.0)])
def test_spellings_of_numbers(service: Service, sent: Any, number: float) -> None:
    assert read(service, "number", sent) == number


@pytest.mark.parametrize(
    "sent", [True, "", "x", "NaN", "Infinity", "1e999", "[1]", [], {}, HUGE, DEEP]
)
def test_other_values_are_no_numbers(service: Service, sent: Any) -> None:
    refused(service, "number", sent)


@pytest.mark.rule("C7")
@pytest.mark.parametrize(
    ("name", "sent", "read_as"), read_data(__file__, "EMPTY", list[tuple[str, Any, Any]])
)
def test_C7_empty_values_count_as_present(
    service: Service, name: str, sent: Any, read_as: Any
) -> None:
    assert read(service, name, sent) == read_as


@pytest.mark.rule("C7")
@pytest.mark.parametrize(
    "name", ["integer", "id", "ids", "boolean", "truthy", "text", "number", "object", "nested"]
)
def test_C7_null_for_an_optional_parameter_counts_as_absent(service: Service, name: str) -> None:
    assert read(service, name, None) is None


@pytest.mark.rule("C10")
@pytest.mark.parametrize(
    ("name", "sent", "message"), read_data(__file__, "EXPECTED", list[tuple[str, Any, str]])
)
def test_C10_the_text_names_the_parameter_and_the_expected_type(
    service: Service, name: str, sent: Any, message: str
) -> None:
    assert refused(service, name, sent).body["error_description"] == message
