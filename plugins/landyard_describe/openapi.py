"""The OpenAPI document of the active methods, for client generators."""

from collections.abc import Iterable
from typing import Any

from landyard import Method, Timing
from landyard_describe.error_codes import Code, by_status
from landyard_describe.json_schema import Components, is_paged
from landyard_describe.parameter_types import BINARY, Schema
from landyard_describe.parameters import parameters
from landyard_describe.texts import (
    about,
    answers,
    by_each_name,
    component,
    group,
    options,
    phrase,
    plain,
)

VERSION = "3.1.1"

_ABOUT = """Every method is one `POST` with a JSON object.

A webhook carries its credentials in the address: `/rest/{user}/{code}`. With an access token the
address is `/rest`, and the token stands in `Authorization: Bearer` or in the body's `auth`.

Unknown parameters are ignored, and null counts as not sent. Other requirements of a method, such as
the permission scope, are in its `x-landyard`."""

WEBHOOK_VARIABLES = {
    "user": {"default": "1", "description": "The id of the webhook's owner."},
    "code": {"default": "your-code", "description": "The webhook's code, which is a secret."},
}
"""The variables in the address of a webhook, as OpenAPI and OpenRPC describe them."""

_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "An access token, if the address has no webhook.",
}
_HEADERS = {
    "RequestId": {
        "description": "The id of the call in the service's log; the request's `X-Request-Id`"
        " if that is acceptable.",
        "schema": {"type": "string"},
    },
    "Time": {
        "description": "The `time` of a JSON answer, as JSON.",
        "schema": {"type": "string"},
    },
    "RetryAfter": {
        "description": "Seconds after which to try again.",
        "schema": {"type": "integer", "minimum": 0},
    },
}
_PARAMETERS = {
    "idempotency_key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "For a call that may be sent again: a call with the key of an earlier one"
        " does not run, and gets its answer. Also as `idempotency_key` beside the parameters.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    },
    "dry_run": {
        "name": "Dry-Run",
        "in": "header",
        "description": "Whether to change nothing: the answer lists what would change. Also as"
        " `dry_run` beside the parameters.",
        "schema": {"type": "boolean"},
    },
}
_TRIED: dict[str, Any] = {
    "dry_run": {"type": "boolean", "description": "True if nothing was changed; else absent."},
    "changes": {
        "type": "array",
        "description": "The changes that the call would make, for a dry run.",
        "items": {
            "type": "object",
            "properties": {
                "table": {"type": "string"},
                "id": {"description": "The row's key; a list if it has several columns."},
                "kind": {"type": "string", "enum": ["insert", "update", "delete"]},
                "columns": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["table", "id", "kind", "columns"],
        },
    },
}
_DONE = "The call succeeded."
_REQUEST_ID = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}
_RETRY_AFTER = {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}
_DESCRIPTION = {"type": "string", "description": "The error's description, for people."}
_ARGUMENT = {"type": "string", "description": "The wrong parameter, with ERROR_ARGUMENT."}
_DATA = {"description": "Details for programs, with some codes."}
_PAGING = {
    "next": {
        "type": "integer",
        "description": "The `start` of the following page; absent on the last.",
    },
    "total": {
        "type": "integer",
        "description": "The number of items on all pages; absent if this page has all.",
    },
}
_TIME = {
    "start": 1767225600.25,
    "finish": 1767225600.265625,
    "duration": 0.015625,
    "processing": 0.0078125,
    "date_start": "2026-01-01T00:00:00+00:00",
    "date_finish": "2026-01-01T00:00:00+00:00",
    "operating": 0.0078125,
}
_RESET_AT = {"operating_reset_at": 1767226200.0}  # general methods have none (C12)


def openapi(methods: Iterable[Method], *, base: str, version: str) -> dict[str, Any]:
    """Return an OpenAPI 3.1 document of `methods` for the service at `base`."""
    described = list(by_each_name(methods))
    document = _Document()
    paths: dict[str, Any] = {}
    for method in described:
        paths[f"/{method.name}.json"] = {"post": document.operation(method)}
    rest = f"{base.rstrip('/')}/rest"
    webhook = {"url": f"{rest}/{{user}}/{{code}}", "description": "With a webhook."}
    return {
        "openapi": VERSION,
        "info": {"title": "Landyard", "version": version, "description": _ABOUT},
        "servers": [
            {**webhook, "variables": WEBHOOK_VARIABLES},
            {"url": rest, "description": "With an access token."},
        ],
        "security": [{"token": []}, {}],
        "tags": [{"name": name} for name in dict.fromkeys(group(each.name) for each in described)],
        "paths": paths,
        "components": {
            "schemas": document.components.schemas,
            "parameters": {component(name): each for name, each in _PARAMETERS.items()},
            "responses": document.responses,
            "headers": _HEADERS,
            "securitySchemes": {"token": _TOKEN},
        },
    }


class _Document:
    """Builds the descriptions of methods, and collects their shared components."""

    def __init__(self) -> None:
        self.components = Components()
        self.responses: dict[str, Any] = {}
        self._time = self.components.result(Timing, "")
        self._changes = self.components.add("Changes", _TRIED["changes"])
        self._shared = by_status()
        for status, codes in self._shared.items():
            self.responses[f"Refused{status}"] = self._refusal(codes, "")
        self._owners: list[str] = []

    def operation(self, method: Method) -> dict[str, Any]:
        """Return the operation of a method."""
        owner = self._owner(method)
        # Only the form, though JSON is accepted, too: generators fail on two kinds of bodies.
        form = self.components.form(method.params, owner)
        kind = "multipart/form-data" if form else "application/json"
        content = {"schema": form or self.components.params(method.params, owner)}
        if method.example is not None and not form:
            content["example"] = method.example.params
        responses: dict[str, Any] = self._success(method, owner)
        for status, codes in by_status(method).items():
            shared = {"$ref": f"#/components/responses/Refused{status}"}
            is_shared = codes == self._shared.get(status)
            responses[str(status)] = shared if is_shared else self._refusal(codes, owner)
        return {
            "operationId": owner[0].lower() + owner[1:],
            **about(method),
            **({"parameters": list(map(_option, options(method)))} if method.writes else {}),
            "tags": [group(method.name)],
            "requestBody": {
                "required": any(each.required for each in parameters(method.params)),
                "content": {kind: content},
            },
            "responses": responses,
        }

    def _owner(self, method: Method) -> str:
        """Return a unique component name for a method; equal ones are numbered."""
        name = component(method.name)
        self._owners.append(name.lower())
        count = self._owners.count(name.lower())
        return name if count == 1 else f"{name}{count}"

    def _success(self, method: Method, owner: str) -> dict[str, Any]:
        """Return the successful response, by its status."""
        if kind := answers(method):
            headers = {"Landyard-Time": {"$ref": "#/components/headers/Time"}}
            response = {"description": _DONE, "headers": _REQUEST_ID | headers}
            return (
                {"204": response}
                if kind == "204"
                else {"200": response | {"content": {kind: {"schema": BINARY}}}}
            )
        result = self.components.result(method.result, owner)
        envelope = {
            "type": "object",
            "properties": {
                "result": result,
                "time": self._time,
                **(_PAGING if is_paged(method) else {}),
                **(
                    {"dry_run": _TRIED["dry_run"], "changes": self._changes}
                    if method.writes
                    else {}
                ),
            },
            "required": ["result", "time"],
        }
        content: dict[str, Any] = {"schema": self.components.add(f"{owner}Answer", envelope)}
        if method.example is not None:
            time = _TIME if method.general else _TIME | _RESET_AT
            content["example"] = {"result": method.example.result, "time": time}
        return {"200": _response(_DONE, content)}

    def _refusal(self, codes: list[Code], owner: str) -> dict[str, Any]:
        """Return the response for the error codes of one status."""
        status = codes[0].status
        names = list(dict.fromkeys(each.code for each in codes))
        body: Schema = {
            "type": "object",
            "properties": {
                "error": {"type": "string", "enum": names},
                "error_description": _DESCRIPTION,
                "error_data": _DATA,
                "argument": _ARGUMENT,
            },
            "required": ["error", "error_description"],
        }
        schema = self.components.add(f"{owner}Refused{status}", body)
        lines = "\n".join(f"- `{each.code}`: {plain(each.text)}" for each in codes)
        headers = _RETRY_AFTER if status in (429, 503) else {}
        return _response(f"{phrase(status)}.\n\n{lines}", {"schema": schema}, headers)


def _option(name: str) -> Schema:
    return {"$ref": f"#/components/parameters/{component(name)}"}


def _response(
    description: str, content: dict[str, Any], headers: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "description": description,
        "headers": _REQUEST_ID | (headers or {}),
        "content": {"application/json": content},
    }
