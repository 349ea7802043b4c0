"""Any JSON value sent for a parameter is read as the parameter's type or answered with
TYPE_ERROR.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kernel.sample import post, sample_service

from landyard.testing import Service

# A NUL or a lone surrogate makes a request unreadable (C3); the tests of the wire cover them.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**62, max_value=2**130),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXT,
    st.sampled_from(["12", "-1", "0", "Y", "off", "1e5", "[]", "{}", "null", "9" * 40]),
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def is_nested(value: Any) -> bool:
    return is_integer(value["count"]) and isinstance(value["flag"], bool)


KINDS: dict[str, Callable[[Any], bool]] = {
    "integer": is_integer,
    "id": lambda value: is_integer(value) and value >= 0,
    "ids": lambda value: isinstance(value, list) and all(is_integer(each) for each in value),
    "boolean": lambda value: isinstance(value, bool),
    "truthy": lambda value: isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "nested": is_nested,
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with sample_service() as service:
        yield service


@pytest.mark.rule("C5", "C6", "C7", "C9", "C10")
@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60)
@given(value=JSON)
@example(value=10**400)
@example(value=-(2**63))
@example(value="9" * 31)
def test_C5_to_C10_any_value_is_read_or_a_type_error(
    service: Service, name: str, value: Any
) -> None:
    answer = post(service, "sample.kinds", {name: value})

    if answer.error is None:
        read = answer.result[name]
        assert KINDS[name](read) if read is not None else value in (None, [])
    else:
        assert (answer.status, answer.error) == (400, "TYPE_ERROR")
        assert f"'{name}" in answer.body["error_description"]


@pytest.mark.rule("C9")
@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(sorted(KINDS)), JSON))
def test_C9_a_method_without_TYPE_ERROR_never_answers_it(
    service: Service, sent: dict[str, Any]
) -> None:
    assert post(service, "sample.lenient", sent).status == 200
