"""What is declared is complete and consistent: documentation, codes, the public surface."""

import inspect
import typing
from collections import defaultdict
from collections.abc import Iterator

import pytest

import landyard
from landyard import CallError, Kernel, Method, Settings
from landyard.params import params_reader

# Contract, section 7 (and the lists below each method in section 4), besides the codes of C13.
CONTRACT = {
    "landing.block.uploadfile": "MISSING_PARAMS BLOCK_NOT_FOUND FILE_ERROR",
    "landing.block.updatenodes": "MISSING_PARAMS TYPE_ERROR LANDING_NOT_EXIST BLOCK_NOT_FOUND"
    " ACCESS_DENIED NODES_NOT_FOUND INCORRECT_AFFECTED",
    "landing.block.getlist": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED TYPE_ERROR"
    " SYSTEM_ERROR",
    "landing.block.updateattrs": "MISSING_PARAMS ACCESS_DENIED LANDING_NOT_EXIST BLOCK_NOT_FOUND",
    "landing.block.removecard": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED BLOCK_NOT_FOUND"
    " CARD_NOT_FOUND",
    "landing.landing.addByTemplate": "MISSING_PARAMS SITE_ERROR LANDING_ERROR ACCESS_DENIED"
    " FOLDER_NOT_FOUND WRONG_DATA SLASH_IS_NOT_ALLOWED CANT_BE_EMPTY WRONG_CODE_FORMAT",
    "landing.landing.update": "MISSING_PARAMS ACCESS_DENIED SITE_NOT_FOUND FOLDER_NOT_FOUND"
    " SLASH_IS_NOT_ALLOWED CANT_BE_EMPTY WRONG_CODE_FORMAT CANT_DELETE_MAIN TYPE_ERROR"
    " SYSTEM_ERROR",
    "landing.landing.move": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED DELETE_ACCESS_DENIED"
    " FOLDER_NOT_FOUND TYPE_ERROR SYSTEM_ERROR",
    "landing.landing.markDelete": "MISSING_PARAMS ACCESS_DENIED CANT_DELETE_MAIN"
    " UNABLE_DELETE_INCLUDE TYPE_ERROR SYSTEM_ERROR",
    "landing.landing.delete": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED LANDING_IS_LOCK"
    " TYPE_ERROR SYSTEM_ERROR",
    "landing.landing.getpublicurl": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED TYPE_ERROR"
    " SYSTEM_ERROR",
    "methods": "",
}
READING = {"landing.block.getlist", "landing.landing.getpublicurl", "methods"}

PUBLIC = [
    "Actor",
    "Call",
    "CallError",
    "Console",
    "Credential",
    "Demo",
    "Failure",
    "Id",
    "Ids",
    "InvalidRequest",
    "Kernel",
    "Loader",
    "Method",
    "MethodGroup",
    "MissingParams",
    "Moment",
    "Paged",
    "Plugin",
    "PluginError",
    "Reply",
    "Request",
    "RowId",
    "Settings",
    "SettingsError",
    "Store",
    "Success",
    "SystemFailure",
    "Tables",
    "Tally",
    "Truthy",
    "WorldError",
    "WorldList",
    "WrongType",
    "given",
    "hookimpl",
    "load_settings",
]


def installed() -> Kernel:
    kernel = Kernel(Settings())
    kernel.close()
    return kernel


KERNEL = installed()
METHODS = list(KERNEL.methods)
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
in_contract = pytest.mark.parametrize(
    "method", [each for each in METHODS if each.name in CONTRACT], ids=lambda method: method.name
)


def error_classes() -> Iterator[type[CallError]]:
    waiting = [CallError]
    while waiting:
        for each in waiting.pop().__subclasses__():
            waiting.append(each)
            # Private ones only share behaviour; those of tests are not the product's.
            if not each.__name__.startswith("_") and each.__module__.startswith("landyard"):
                yield each


def test_the_public_names_are_these() -> None:
    assert list(landyard.__all__) == PUBLIC
    assert [name for name in PUBLIC if not hasattr(landyard, name)] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_documented(name: str) -> None:
    value = getattr(landyard, name)
    if isinstance(value, type) or inspect.isfunction(value):
        assert inspect.getdoc(value)


@every_method
def test_a_method_is_documented(method: Method) -> None:
    assert len(method.doc.partition("\n")[0].split()) >= 3
    assert method.plugin
    assert method.name == method.name.strip()


@every_method
def test_the_result_of_a_method_is_annotated(method: Method) -> None:
    assert method.result is not typing.Any
    assert method.result is not None


@in_contract
def test_C11_a_method_declares_codes_of_the_contract_alone(method: Method) -> None:
    assert {error.code for error in method.errors} <= set(CONTRACT[method.name].split())


@in_contract
def test_a_method_that_reads_does_not_write(method: Method) -> None:
    assert method.writes == (method.name not in READING)


@in_contract
def test_5_the_permission_scope_is_that_of_the_contract(method: Method) -> None:
    assert method.scope == ("" if method.name == "methods" else "landing")


@in_contract
def test_C9_an_optional_parameter_is_lenient_where_the_contract_knows_no_type_error(
    method: Method,
) -> None:
    knows = "TYPE_ERROR" in CONTRACT[method.name]

    assert params_reader(method)._lenient is not knows


def test_a_code_belongs_to_one_error() -> None:
    owners = defaultdict(set)
    for error in error_classes():
        owners[error.code].add(error)

    assert {code: found for code, found in owners.items() if len(found) > 1} == {}


@pytest.mark.parametrize("error", list(error_classes()), ids=lambda each: each.__name__)
def test_an_error_has_a_code_a_status_and_a_text_of_its_own(error: type[CallError]) -> None:
    assert error.code.strip()
    assert 400 <= error.status < 600
    assert error.text != CallError.text
    assert error.system or error.status == 400


def test_C13_the_system_codes_and_their_statuses() -> None:
    system = {error.code: error.status for error in error_classes() if error.system}

    assert system == {
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
