"""The OpenAPI and OpenRPC documents describe each method truthfully."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from contract.documents import (
    BASE,
    METHODS,
    OPENAPI,
    OPENRPC,
    Document,
    all_methods,
    body_of,
    check,
    component,
    operation,
    responses,
)
from openapi_spec_validator import validate
from tables import for_each

from landyard import Method
from landyard.plugin_host.loading import params_reader
from landyard_describe.error_codes import own_codes, system_codes
from landyard_describe.openapi import openapi
from landyard_describe.openrpc import method_object, openrpc
from landyard_describe.parameters import parameters


def references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str() as target}:
            yield target
        case dict():
            for each in value.values():
                yield from references(each)
        case list():
            for each in value:
                yield from references(each)


def test_the_openapi_document_is_valid() -> None:
    validate(OPENAPI)

    assert OPENAPI["openapi"].startswith("3.1.")
    assert set(OPENAPI["paths"]) == {f"/{method.name}.json" for method in METHODS}


def test_a_document_without_methods_is_valid() -> None:
    validate(openapi([], base=BASE, version="1.0"))

    assert openrpc([], base=BASE, version="1.0")["methods"] == []


@pytest.mark.parametrize("document", [OPENAPI, OPENRPC], ids=["openapi", "openrpc"])
def test_every_reference_resolves_and_every_schema_is_used(
    document: Document,
) -> None:
    targets = set(references(document))
    unused = {
        f"#/components/schemas/{name}" for name in document["components"]["schemas"]
    } - targets

    assert len(targets) >= 20
    assert [component({"$ref": target}, document) for target in targets]
    assert unused == set()


def test_an_operation_id_is_an_identifier() -> None:
    names = [operation(method)["operationId"] for method in METHODS]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z][A-Za-z0-9]*", name)] == []
    assert "landingBlockGetlist" in names


@all_methods
def test_every_parameter_is_described(method: Method) -> None:
    body = operation(method)["requestBody"]
    schema = component(body_of(body))
    described_parameters = parameters(method.params)
    needed = [name for name in params_reader(method).required if "." not in name]

    assert list(schema["properties"]) == [each.name for each in described_parameters]
    assert schema.get("required", []) == needed
    assert body["required"] == bool(needed)


@all_methods
def test_every_code_of_a_method_is_described_under_its_status(method: Method) -> None:
    codes = {
        (status, code)
        for status, response in responses(method).items()
        if status != 200
        for code in component(body_of(response))["properties"]["error"]["enum"]
    }

    assert codes == {(each.status, each.code) for each in [*system_codes(), *own_codes(method)]}
    assert {each.code for each in own_codes(method)} == {each.code for each in method.errors}


@all_methods
def test_the_openrpc_object_has_the_same_codes(method: Method) -> None:
    described = method_object(method)
    codes = {
        (error["code"], each["error"]) for error in described["errors"] for each in error["data"]
    }

    assert codes == {(each.status, each.code) for each in [*system_codes(), *own_codes(method)]}
    assert len({error["code"] for error in described["errors"]}) == len(described["errors"])


@all_methods
def test_scope_right_and_effect_of_a_method_are_described(method: Method) -> None:
    facts = operation(method)["x-landyard"]

    assert facts["scope"] == method.scope
    assert facts["right"] == method.right
    assert facts["writes"] is method.writes
    assert facts["plugin"] == method.plugin
    # a method about the caller itself needs no right
    assert method.right or method.general or method.scope == "user"
    assert operation(method)["summary"] == method.doc.partition("\n")[0]


@all_methods
def test_an_example_matches_the_schema(method: Method) -> None:
    described = operation(method)
    sent = described["requestBody"]["content"]["application/json"]
    answered = described["responses"]["200"]["content"]["application/json"]

    for content in (sent, answered):
        check(content["schema"], content["example"])


# The keys and types that the OpenRPC specification requires; its meta-schema cannot be downloaded
# in a test. A key that ends in `?` is optional.
OBJECTS: dict[str, Document] = {
    "document": {
        "openrpc": str,
        "info": dict,
        "servers": list,
        "methods": list,
        "components": dict,
    },
    "method": {
        "name": str,
        "summary": str,
        "description": str,
        "tags": list,
        "paramStructure": str,
        "params": list,
        "result": dict,
        "errors": list,
        "examples?": list,
        "deprecated?": bool,
        "x-landyard": dict,
    },
    "parameter": {"name": str, "required": bool, "description?": str, "schema": dict},
    "error": {"code": int, "message": str, "data": list},
    "example": {"name": str, "params": list, "result": dict},
}


def has_keys_of(kind: str, value: Document) -> bool:
    types = {name.rstrip("?"): type_ for name, type_ in OBJECTS[kind].items()}
    needed = {name for name in OBJECTS[kind] if not name.endswith("?")}
    return needed <= set(value) <= set(types) and all(
        isinstance(each, types[name]) for name, each in value.items()
    )


def test_the_openrpc_document_has_the_required_keys() -> None:
    assert has_keys_of("document", OPENRPC)
    assert OPENRPC["openrpc"] == "1.3.2"
    assert [each["name"] for each in OPENRPC["methods"]] == [each.name for each in METHODS]
    assert all(has_keys_of("error", each) for each in OPENRPC["components"]["errors"].values())


@all_methods
def test_an_openrpc_method_object_has_the_required_keys(method: Method) -> None:
    described = next(each for each in OPENRPC["methods"] if each["name"] == method.name)
    errors = [component(each, OPENRPC) if "$ref" in each else each for each in described["errors"]]
    required = [each["required"] for each in described["params"]]

    assert has_keys_of("method", described)
    assert all(has_keys_of("parameter", each) for each in described["params"])
    assert all(has_keys_of("error", each) for each in errors)
    # the specification wants required parameters first
    assert required == sorted(required, reverse=True)
    for example in described["examples"]:
        assert has_keys_of("example", example)
        assert {each["name"] for each in example["params"]} <= {
            each["name"] for each in described["params"]
        }


@for_each("name", sorted(OPENRPC["components"]["schemas"]))
def test_a_schema_is_valid_in_both_dialects(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(OPENRPC["components"]["schemas"][name])
    jsonschema.Draft202012Validator.check_schema(OPENAPI["components"]["schemas"][name])


@all_methods
def test_the_description_of_a_method_does_not_depend_on_other_methods(method: Method) -> None:
    alone = openapi([method], base=BASE, version="1.0")

    assert operation(method, alone) == operation(method)
    assert alone["components"]["schemas"].items() <= OPENAPI["components"]["schemas"].items()


def test_the_documents_are_plain_json() -> None:
    for document in (OPENAPI, OPENRPC):
        assert msgspec.json.decode(msgspec.json.encode(document)) == document


def test_a_writing_method_is_described_with_its_options() -> None:
    names = {"landing.block.updatenodes", "landing.block.uploadfile", "landing.block.getlist"}
    options = {
        method.name: [
            OPENAPI["components"]["parameters"][each["$ref"].rpartition("/")[2]]["name"]
            for each in operation(method).get("parameters", ())
        ]
        for method in METHODS
        if method.name in names
    }

    assert options == {
        "landing.block.getlist": [],
        "landing.block.updatenodes": ["Idempotency-Key", "Dry-Run"],
        "landing.block.uploadfile": ["Idempotency-Key"],
    }
    for method in METHODS:
        text = operation(method)["description"]
        assert ("options: `idempotency_key`" in text) is method.writes
