"""The OpenAPI and OpenRPC documents of the service, and helpers to look things up in them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from kernel.shared import share
from tables import for_each

from landyard import Kernel, Method, Settings
from landyard_describe.openapi import openapi
from landyard_describe.openrpc import openrpc

BASE = "https://pages.example.org"
Document = dict[str, Any]


SWITCHED_ON: Document = {"on": ["apps", "oauth"]}
"""The `[plugins]` section that enables the plugins which start switched off and add methods."""


def installed(**plugins: Any) -> list[Method]:
    """The methods of the plugins that are on with these settings."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        share(patch)
        kernel = Kernel(Settings(data=Path(folder), plugins=plugins))
        kernel.close()
    return list(kernel.methods)


METHODS = installed(plugins=SWITCHED_ON)
OPENAPI = openapi(METHODS, base=BASE, version="1.0")
OPENRPC = openrpc(METHODS, base=BASE, version="1.0")
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
all_methods = for_each("method", METHODS, ids=lambda method: method.name)
"""Like `every_method`, but all methods run in one test: for tests that make no service."""


def operation(method: Method, document: Document = OPENAPI) -> Document:
    described: Document = document["paths"][f"/{method.name}.json"]["post"]
    return described


def component(reference: Document, document: Document = OPENAPI) -> Document:
    found: Any = document
    for part in reference["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    described: Document = found
    return described


def responses(method: Method, document: Document = OPENAPI) -> dict[int, Document]:
    return {
        int(status): component(response, document) if "$ref" in response else response
        for status, response in operation(method, document)["responses"].items()
    }


def check(schema: Document, value: Any, document: Document = OPENAPI) -> None:
    """Validate `value` against `schema`, which may refer to the document's components."""
    whole = {**schema, "components": document["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


def body_of(response: Document) -> Document:
    """The JSON schema of a response's or a request's body."""
    schema: Document = response["content"]["application/json"]["schema"]
    return schema
