"""Declarations are complete and consistent: documentation, error codes, and the public names."""

import inspect
import typing
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from contract.documents import installed
from contract.rules import CODES
from corpora import read_data
from tables import for_each

import landyard
from landyard import Bounds, CallError, Method, testing
from landyard.plugin_host.loading import params_reader

READING = {"landing.block.getlist", "landing.landing.getpublicurl", "methods"}

PUBLIC = read_data(__file__, "PUBLIC", list[str])


METHODS = installed()
all_methods = for_each("method", METHODS, ids=lambda method: method.name)
in_contract = for_each(
    "method", [each for each in METHODS if each.name in CODES], ids=lambda method: method.name
)


def error_classes() -> Iterator[type[CallError]]:
    waiting = [CallError]
    while waiting:
        for each in waiting.pop().__subclasses__():
            waiting.append(each)
            # Private classes only share behaviour; classes in tests are not part of the product.
            if not each.__name__.startswith("_") and each.__module__.startswith("landyard"):
                yield each


def test_the_public_names_are_exactly_these() -> None:
    assert sorted(landyard.__all__) == sorted(PUBLIC)
    assert [name for name in PUBLIC if not hasattr(landyard, name)] == []


def test_the_public_names_for_tests_are_exactly_these() -> None:
    assert set(testing.__all__) == {
        *("WEBHOOK", "Answer", "Contribution", "Found", "Service", "WrongResult"),
        *("as_plugin", "brought", "installed", "misfit"),
    }


def test_plugins_see_twelve_members_of_the_kernel() -> None:
    members = [name for name in vars(landyard.Host) if not name.startswith("_")]

    assert len(members) <= 12


@for_each("name", PUBLIC)
def test_a_public_name_is_documented(name: str) -> None:
    value = getattr(landyard, name)
    if isinstance(value, type) or inspect.isfunction(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize("name", ["size", "depth", "values"])
@pytest.mark.parametrize(
    ("bound", "error"),
    [(0, ValueError), (-1, ValueError), (True, TypeError), (1.5, TypeError), ("64", TypeError)],
)
def test_a_bound_is_a_positive_number(name: str, bound: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        Bounds(**{name: bound})


@pytest.mark.parametrize("name", ["depth", "values"])
def test_only_the_body_size_may_be_set_by_the_operator(name: str) -> None:
    unbounded: dict[str, Any] = {name: None}

    assert Bounds(size=None).size is None
    with pytest.raises(TypeError, match=name):
        Bounds(**unbounded)


@all_methods
def test_a_method_is_documented(method: Method) -> None:
    assert len(method.doc.partition("\n")[0].split()) >= 3
    assert method.plugin
    assert method.name == method.name.strip()


@all_methods
def test_the_result_of_a_method_is_annotated(method: Method) -> None:
    assert method.result is not typing.Any
    assert method.result is not None


@pytest.mark.rule("C11")
@in_contract
def test_C11_a_method_declares_only_codes_of_the_contract(method: Method) -> None:
    ours = {"REVISION_CONFLICT"}  # only callers that send `revision` get it (docs/at-once.md)
    assert {error.code for error in method.errors} - ours <= set(CODES[method.name].split())


@in_contract
def test_a_method_that_reads_does_not_write(method: Method) -> None:
    assert method.writes == (method.name not in READING)


@pytest.mark.rule("call: permission scope")
@in_contract
def test_5_the_permission_scope_is_that_of_the_contract(method: Method) -> None:
    assert method.scope == ("" if method.name == "methods" else "landing")


@pytest.mark.rule("C9")
@in_contract
def test_C9_an_optional_parameter_is_lenient_where_the_contract_lists_no_type_error(
    method: Method,
) -> None:
    knows = "TYPE_ERROR" in CODES[method.name]

    assert params_reader(method)._lenient is not knows


def test_a_code_belongs_to_one_error() -> None:
    owners = defaultdict(set)
    for error in error_classes():
        if "code" in vars(error):  # a subclass without `code` shares its parent's
            owners[error.code].add(error)

    assert {code: found for code, found in owners.items() if len(found) > 1} == {}


@for_each("error", list(error_classes()), ids=lambda each: each.__name__)
def test_an_error_has_a_code_a_status_and_a_text_of_its_own(error: type[CallError]) -> None:
    assert error.code.strip()
    assert 400 <= error.status < 600
    assert error.text != CallError.text
    assert error.system or error.status == 400


@pytest.mark.rule("C13")
def test_C13_the_system_codes_and_their_statuses() -> None:
    system = {error.code: error.status for error in error_classes() if error.system}

    # The codes of the options that a caller may send with any method (docs/safe-writes.md).
    of_options = {"DRY_RUN_NOT_POSSIBLE": 400}
    of_options |= {"IDEMPOTENCY_ANSWER_LOST": 409, "IDEMPOTENCY_KEY_REUSED": 409}
    assert system == of_options | {
        "NO_AUTH_FOUND": 401,
        "INVALID_CREDENTIALS": 401,
        "invalid_token": 401,
        "expired_token": 401,
        "user_access_error": 403,
        "insufficient_scope": 401,
        "ERROR_METHOD_NOT_FOUND": 404,
        "INVALID_REQUEST": 400,
        "QUERY_LIMIT_EXCEEDED": 503,
        "OPERATION_TIME_LIMIT": 429,
        "OVERLOAD_LIMIT": 503,
        "INTERNAL_SERVER_ERROR": 500,
    }
