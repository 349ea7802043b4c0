"""Rules shared by many methods: missing parameters, wrong types, and internal errors.

A method that is not installed has no rows here; `test_rules.py` then names its rules.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from conftest import MakeService
from contract.documents import installed
from contract.failing_database import broken
from contract.rules import CODES
from contract.worlds import everything, one_page
from corpora import read_data

from landyard.testing import Service

Params = dict[str, Any]

# The required parameters of each method (contract 7, MISSING_PARAMS), with usable values.
REQUIRED = read_data(__file__, "REQUIRED", dict[str, Params])

# C9: the code for a wrong type where the method has no TYPE_ERROR.
INSTEAD = read_data(__file__, "INSTEAD", dict[str, dict[str, str]])
UNUSABLE = [True, 1.5, "12abc", ["x"], {"a": "x"}]
OBJECTS = {"data", "fields"}

# The reading of parameters does not depend on the database.
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


INSTALLED = [method.name for method in installed() if method.name in REQUIRED]


def _rows(rules: Mapping[str, Sequence[str]]) -> list[ParameterSet]:
    """Each installed method among `rules`, marked with the rules that its test proves."""
    return [
        pytest.param(name, id=name, marks=pytest.mark.rule(*rules[name]))
        for name in INSTALLED
        if name in rules
    ]


def _listing(code: str) -> dict[str, Sequence[str]]:
    """The methods that list this code."""
    return {name: (f"{name} {code}",) for name, codes in CODES.items() if code in codes.split()}


@pytest.mark.rule("C7", "C8")
@pytest.mark.parametrize("method", _rows(_listing("MISSING_PARAMS")))
@on_sqlite
def test_C8_each_missing_required_parameter_is_named(
    make_service: MakeService, method: str
) -> None:
    service = make_service(world=one_page())
    before = everything(service)
    names = list(REQUIRED[method])

    for absent in [*([name] for name in names), names]:
        left = {name: value for name, value in REQUIRED[method].items() if name not in absent}
        for sent in (left, REQUIRED[method] | dict.fromkeys(absent)):
            answer = service.call(method, sent)

            assert (answer.status, answer.error) == (400, "MISSING_PARAMS")
            message = answer.body["error_description"].partition("missing: ")[2]
            assert message.split(", ") == absent
    assert everything(service) == before


@pytest.mark.rule("C5", "C9")
@pytest.mark.parametrize("method", _rows(_listing("TYPE_ERROR")))
@on_sqlite
def test_C9_a_wrong_type_is_TYPE_ERROR_where_it_is_listed(
    make_service: MakeService, method: str
) -> None:
    service = make_service(world=one_page())
    before = everything(service)

    codes = {name: _answers_to_unusable(service, method, name) for name in REQUIRED[method]}

    assert codes == {name: {"TYPE_ERROR"} for name in REQUIRED[method]}
    assert everything(service) == before


@pytest.mark.rule("C5", "C9")
@pytest.mark.parametrize(
    "method",
    _rows({name: [f"{name} {code}" for code in INSTEAD[name].values()] for name in INSTEAD}),
)
@on_sqlite
def test_C9_a_wrong_type_has_another_code_where_TYPE_ERROR_is_not_listed(
    make_service: MakeService, method: str
) -> None:
    service = make_service(world=one_page())
    before = everything(service)

    codes = {name: _answers_to_unusable(service, method, name) for name in REQUIRED[method]}

    assert codes == {name: {code} for name, code in INSTEAD[method].items()}
    assert everything(service) == before


def _answers_to_unusable(service: Service, method: str, name: str) -> set[str | None]:
    # An object may have any unknown member, so its members are never of a wrong type.
    wrong = [each for each in UNUSABLE if not (name in OBJECTS and isinstance(each, dict))]
    return {service.call(method, REQUIRED[method] | {name: each}).error for each in wrong}


@pytest.mark.rule("C1", "C11")
@pytest.mark.parametrize("method", _rows(dict.fromkeys(CODES, ()) | _listing("SYSTEM_ERROR")))
@on_sqlite
def test_C11_a_crash_is_SYSTEM_ERROR_where_it_is_listed(
    make_service: MakeService, method: str
) -> None:
    service = make_service(world=one_page(), raise_crashes=False)
    before = everything(service)

    with broken(service, ["landing_site", "landing_page", "landing_block"]):
        answer = service.call(method, REQUIRED[method])

    listed = "SYSTEM_ERROR" in CODES[method].split()
    expected = (400, "SYSTEM_ERROR") if listed else (500, "INTERNAL_SERVER_ERROR")
    assert (answer.status, answer.error) == expected
    assert not [word for word in ("SELECT", "landing_", "Zero") if word in str(answer.body)]
    assert everything(service) == before


@pytest.mark.rule("C7", "C8")
@pytest.mark.parametrize("name", [name for name in INSTALLED if "lid" in REQUIRED[name]])
def test_C7_an_empty_lid_counts_as_missing(name: str) -> None:
    with Service() as service:
        answer = service.call(name, {**REQUIRED[name], "lid": []})

    assert answer.error == "MISSING_PARAMS"
    assert answer.body["error_description"].endswith("missing: lid")
