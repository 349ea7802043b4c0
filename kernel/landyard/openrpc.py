"""OpenRPC: the methods there are, one object each, as explorers and generators read them.

A code here is a text, while OpenRPC asks for an integer that is unique within the method: so the
errors of one HTTP status are one error, whose `code` is the status and whose `data` lists them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from landyard.describing import (
    Code,
    by_status,
    component,
    deprecation,
    facts,
    group,
    own_codes,
    phrase,
    summary,
    system_codes,
    text,
)
from landyard.methods import Method
from landyard.shapes import Shapes, paged, parameters

VERSION = "1.3.2"

_ABOUT = """A method is called with `POST <server>/<method>.json`, its parameters by name in a JSON
object; the answer holds the result as `result`, or a code as `error`."""


def openrpc(methods: Iterable[Method], *, base: str, version: str) -> dict[str, Any]:
    """Describe `methods` as an OpenRPC document of the service at `base`."""
    shapes = Shapes()
    shared = by_status(system_codes())
    described = [_method(each, shapes, shared) for each in methods]
    return {
        "openrpc": VERSION,
        "info": {"title": "Landyard", "version": version, "description": _ABOUT},
        "servers": [
            {
                "name": "webhook",
                "url": f"{base.rstrip('/')}/rest/${{user}}/${{code}}",
                "variables": {
                    "user": {"default": "1", "description": "The id of the webhook's owner."},
                    "code": {
                        "default": "your-code",
                        "description": "The webhook's code, a secret.",
                    },
                },
            },
            {"name": "token", "url": f"{base.rstrip('/')}/rest"},
        ],
        "methods": described,
        "components": {
            "schemas": dict(sorted(shapes.components.items())),
            "errors": {_refused(status): _error(codes) for status, codes in shared.items()},
        },
    }


def method_object(method: Method) -> dict[str, Any]:
    """Describe one method, whole: with the schemas that it refers to."""
    shapes = Shapes()
    described = _method(method, shapes, {})
    return {**described, "components": {"schemas": dict(sorted(shapes.components.items()))}}


def wire(methods: Iterable[Method]) -> dict[str, Any]:
    """Say what clients of `methods` depend on, and nothing that they do not.

    By method: what is taken and answered, its codes with their statuses, scope, right, and whether
    it writes. Texts and versions are left out.
    """
    shapes = Shapes()
    described = {}
    for method in methods:
        owner = component(method.name)
        described[method.name] = {
            "scope": method.scope,
            "right": method.right,
            "writes": method.writes,
            "params": _without_texts(shapes.taken(method.params, owner)),
            "result": _without_texts(shapes.answered(method.result, owner)),
            "paged": paged(method),
            "codes": {each.code: each.status for each in own_codes(method)},
        }
    return {
        "methods": described,
        "system": [{"code": each.code, "status": each.status} for each in system_codes()],
        "schemas": _without_texts(dict(sorted(shapes.components.items())), names=True),
    }


def _method(method: Method, shapes: Shapes, shared: Mapping[int, list[Code]]) -> dict[str, Any]:
    owner = component(method.name)
    example = {} if method.example is None else {"examples": [_example(method)]}
    errors = [
        {"$ref": f"#/components/errors/{_refused(status)}"}
        if shared.get(status) == codes
        else _error(codes)
        for status, codes in by_status([*system_codes(), *own_codes(method)]).items()
    ]
    return {
        "name": method.name,
        "summary": summary(method),
        "description": text(method),
        "tags": [{"name": group(method.name)}],
        "paramStructure": "by-name",
        "params": [
            {
                "name": each.name,
                "required": each.required,
                **({"description": each.text} if each.text else {}),
                "schema": shapes.parameter(each, owner),
            }
            for each in sorted(parameters(method.params), key=lambda each: not each.required)
        ],
        "result": {"name": "result", "schema": shapes.answered(method.result, owner)},
        "errors": errors,
        **example,
        **({"deprecated": True} if deprecation(method) else {}),
        "x-landyard": facts(method),
    }


def _example(method: Method) -> dict[str, Any]:
    assert method.example is not None
    return {
        "name": "example",
        "params": [{"name": name, "value": value} for name, value in method.example.params.items()],
        "result": {"name": "result", "value": method.example.result},
    }


def _refused(status: int) -> str:
    return f"Refused{status}"


def _error(codes: list[Code]) -> dict[str, Any]:
    return {
        "code": codes[0].status,
        "message": phrase(codes[0].status),
        "data": [
            {"error": each.code, "error_description": each.text, "system": each.system}
            for each in codes
        ],
    }


def _without_texts(schema: Any, *, names: bool = False) -> Any:
    """Leave descriptions and titles out; `names`: the keys are a caller's, and all stay."""
    if isinstance(schema, list):
        return [_without_texts(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value if key == "default" else _without_texts(value, names=key == "properties")
        for key, value in schema.items()
        if names or key not in ("description", "title")
    }
