"""OpenAPI: the methods there are, as a document that client generators read."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from landyard.calls import Timing
from landyard.describing import (
    Code,
    by_status,
    component,
    deprecation,
    facts,
    group,
    own_codes,
    phrase,
    plain,
    summary,
    system_codes,
    text,
)
from landyard.kinds import Schema
from landyard.methods import Method
from landyard.shapes import Shapes, paged

VERSION = "3.1.1"

_ABOUT = """Every method is one `POST` with a JSON object.

A webhook carries its credentials in the address: `/rest/{user}/{code}`. With an access token the
address is `/rest`, and the token stands in `Authorization: Bearer` or in the body's `auth`.

Parameters that a method does not know are ignored, and null counts as not sent. What a method
needs besides its parameters, such as the permission scope, is said in its `x-landyard`."""

_COME_BACK = (429, 503)


def openapi(methods: Iterable[Method], *, base: str, version: str) -> dict[str, Any]:
    """Describe `methods` as an OpenAPI 3.1 document of the service at `base`."""
    shapes = Shapes()
    time = shapes.answered(Timing, "")
    shared = by_status(system_codes())
    for status, codes in shared.items():
        shapes.add(_name("", status), _refusal(codes))
    paths: dict[str, Any] = {}
    names: dict[str, int] = {}
    named: list[str] = []
    for method in methods:
        owner = _unique(component(method.name), names)
        named.append(method.name)
        paths[f"/{method.name}.json"] = {"post": _operation(method, owner, shapes, shared, time)}
    return {
        "openapi": VERSION,
        "info": {"title": "Landyard", "version": version, "description": _ABOUT},
        "servers": _servers(base),
        "security": [{"token": []}, {}],
        "tags": [{"name": name} for name in dict.fromkeys(map(group, named))],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(shapes.components.items())),
            "responses": {
                _name("", status): _response(codes, _name("", status))
                for status, codes in shared.items()
            },
            "headers": _HEADERS,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An access token, where the address is no webhook's.",
                }
            },
        },
    }


_HEADERS = {
    "RequestId": {
        "description": "The id of the call in the service's log; `X-Request-Id` of the request"
        " where it has a harmless one.",
        "schema": {"type": "string"},
    },
    "RetryAfter": {
        "description": "After how many seconds to try again.",
        "schema": {"type": "integer", "minimum": 0},
    },
}


def _servers(base: str) -> list[Any]:
    base = base.rstrip("/")
    user = {"default": "1", "description": "The id of the webhook's owner."}
    code = {"default": "your-code", "description": "The webhook's code, which is a secret."}
    return [
        {
            "url": f"{base}/rest/{{user}}/{{code}}",
            "description": "With a webhook.",
            "variables": {"user": user, "code": code},
        },
        {"url": f"{base}/rest", "description": "With an access token."},
    ]


def _operation(
    method: Method, owner: str, shapes: Shapes, shared: dict[int, list[Code]], time: Schema
) -> dict[str, Any]:
    taken = shapes.taken(method.params, owner)
    needed = "required" in shapes.components[f"{owner}Params"]
    content: dict[str, Any] = {"schema": taken}
    if method.example is not None:
        content["example"] = method.example.params
    responses: dict[str, Any] = {"200": _success(method, owner, shapes, time)}
    for status, codes in by_status([*system_codes(), *own_codes(method)]).items():
        if shared.get(status) == codes:
            responses[str(status)] = {"$ref": f"#/components/responses/{_name('', status)}"}
        else:
            name = shapes.add(_name(owner, status), _refusal(codes))
            responses[str(status)] = _response(codes, name)
    return {
        "operationId": owner[0].lower() + owner[1:],
        "summary": summary(method),
        "description": text(method),
        "tags": [group(method.name)],
        **({"deprecated": True} if deprecation(method) else {}),
        "requestBody": {"required": needed, "content": {"application/json": content}},
        "responses": responses,
        "x-landyard": facts(method),
    }


def _success(method: Method, owner: str, shapes: Shapes, time: Schema) -> dict[str, Any]:
    properties: dict[str, Any] = {"result": shapes.answered(method.result, owner), "time": time}
    if paged(method):
        properties["next"] = {
            "type": "integer",
            "description": "The `start` of the following page; absent on the last.",
        }
        properties["total"] = {
            "type": "integer",
            "description": "How many there are on all pages; absent where this one has them all.",
        }
    envelope = {"type": "object", "properties": properties, "required": ["result", "time"]}
    name = shapes.add(f"{owner}Answer", envelope)
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{name}"}}
    if method.example is not None:
        content["example"] = {"result": method.example.result, "time": _a_time(method)}
    return {
        "description": "The call did its work.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/json": content},
    }


def _a_time(method: Method) -> dict[str, Any]:
    """Write a `time` as it may look; general methods have no `operating_reset_at` (C12)."""
    start = 1767225600.25
    known: dict[str, Any] = {
        "start": start,
        "finish": start + 0.015625,
        "duration": 0.015625,
        "processing": 0.0078125,
        "date_start": "2026-01-01T00:00:00+00:00",
        "date_finish": "2026-01-01T00:00:00+00:00",
        "operating": 0.0078125,
        "operating_reset_at": UNSET if method.general else 1767226200.0,
    }
    return {name: value for name, value in known.items() if value is not UNSET}


def _refusal(codes: list[Code]) -> Schema:
    """Describe the body of the failures of one status."""
    return {
        "type": "object",
        "properties": {
            "error": {"type": "string", "enum": list(dict.fromkeys(each.code for each in codes))},
            "error_description": {"type": "string", "description": "What was wrong, for people."},
        },
        "required": ["error", "error_description"],
    }


def _response(codes: list[Code], schema: str) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}
    if codes[0].status in _COME_BACK:
        headers["Retry-After"] = {"$ref": "#/components/headers/RetryAfter"}
    said = "\n".join(f"- `{each.code}`: {plain(each.text)}" for each in codes)
    return {
        "description": f"{phrase(codes[0].status)}.\n\n{said}",
        "headers": headers,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }


def _name(owner: str, status: int) -> str:
    """Name the schema of a failure's body: of any method, or of one."""
    return f"{owner}Refused{status}"


def _unique(name: str, taken: dict[str, int]) -> str:
    """Tell names apart that differ in their dots and capitals alone."""
    taken[name.lower()] = count = taken.get(name.lower(), 0) + 1
    return name if count == 1 else f"{name}{count}"
