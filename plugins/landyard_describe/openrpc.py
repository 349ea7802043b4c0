"""The OpenRPC document of the active methods, for explorers and code generators.

OpenRPC requires integer codes that are unique within a method, while codes here are texts. So one
OpenRPC error stands for all errors of an HTTP status: `code` is the status, `data` the list.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from landyard import Example, Method
from landyard_describe.error_codes import Code, by_status
from landyard_describe.json_schema import Components
from landyard_describe.openapi import WEBHOOK_VARIABLES
from landyard_describe.parameters import parameters
from landyard_describe.texts import about, by_each_name, component, group, phrase

VERSION = "1.3.2"

_ABOUT = """A method is called with `POST <server>/<method>.json` and its parameters by name in a
JSON object; the answer holds the result as `result`, or a code as `error`."""


def openrpc(methods: Iterable[Method], *, base: str, version: str) -> dict[str, Any]:
    """Return an OpenRPC document of `methods` for the service at `base`."""
    components = Components()
    shared = by_status()
    rest = f"{base.rstrip('/')}/rest"
    webhook = {"name": "webhook", "url": f"{rest}/${{user}}/${{code}}"}
    return {
        "openrpc": VERSION,
        "info": {"title": "Landyard", "version": version, "description": _ABOUT},
        "servers": [
            {**webhook, "variables": WEBHOOK_VARIABLES},
            {"name": "token", "url": rest},
        ],
        "methods": [_method(each, components, shared) for each in by_each_name(methods)],
        "components": {
            "schemas": components.schemas,
            "errors": {f"Refused{status}": _error(codes) for status, codes in shared.items()},
        },
    }


def method_object(method: Method) -> dict[str, Any]:
    """Return the OpenRPC object of one method, together with its schemas."""
    components = Components()
    described = _method(method, components, {})
    return {**described, "components": {"schemas": components.schemas}}


def _method(
    method: Method, components: Components, shared: Mapping[int, list[Code]]
) -> dict[str, Any]:
    owner = component(method.name)
    fields = sorted(parameters(method.params), key=lambda each: not each.required)
    return {
        "name": method.name,
        **about(method),
        "tags": [{"name": group(method.name)}],
        "paramStructure": "by-name",
        "params": [
            {
                "name": each.name,
                "required": each.required,
                **({"description": each.text} if each.text else {}),
                "schema": components.parameter(each, owner),
            }
            for each in fields
        ],
        "result": {"name": "result", "schema": components.result(method.result, owner)},
        "errors": [
            {"$ref": f"#/components/errors/Refused{status}"}
            if codes == shared.get(status)
            else _error(codes)
            for status, codes in by_status(method).items()
        ],
        **({} if method.example is None else {"examples": [_example(method.example)]}),
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "name": "example",
        "params": [{"name": name, "value": value} for name, value in example.params.items()],
        "result": {"name": "result", "value": example.result},
    }


def _error(codes: list[Code]) -> dict[str, Any]:
    return {
        "code": codes[0].status,
        "message": phrase(codes[0].status),
        "data": [
            {"error": each.code, "error_description": each.text, "system": each.system}
            for each in codes
        ],
    }
