"""Runs an assistant's tool call as a call in a pool thread, and returns the answer as MCP does."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct

from landyard import (
    Actor,
    Bounds,
    CallError,
    Credential,
    Download,
    Failure,
    Host,
    InvalidRequest,
    Method,
    OverloadLimit,
    Reply,
    Request,
    Success,
)
from landyard_mcp.tools import Choice

log = structlog.get_logger()

_OPTIONS = ("dry_run", "idempotency_key")
_LARGEST_FILE = 1024 * 1024  # bytes


class Caller(Struct, frozen=True):
    """The caller of an MCP request: its credential and actor, its tool choice, the request's id."""

    credential: Credential | None
    actor: Actor
    choice: Choice
    id: str
    address: str = ""
    traceparent: str = ""


class Answer(Struct, frozen=True):
    """The answer to a tool call. The call failed if the body has the key `error`."""

    body: dict[str, Any]

    @property
    def failed(self) -> bool:
        return "error" in self.body


async def call(host: Host, caller: Caller, method: Method, arguments: Mapping[str, Any]) -> Answer:
    """Call a method for the caller within its time limit; failures are answers, too."""
    pools = host.process.pools
    pool = pools.slow if method.slow else pools.writing if method.writes else pools.reading
    limit = method.seconds or 0.0  # the kernel has filled it in
    try:
        request = _request(caller, method, arguments)
        return await pool.run(
            lambda deadline: _answer_of(host.dispatch(request, deadline), request, method),
            label=method.name,
            request_id=caller.id,
            seconds=limit,
        )
    except CallError as error:  # the request is too large, or the pool's queue is full
        return _refused(error, caller)
    except Exception as error:  # noqa: BLE001 - the time limit passed before the call ended
        log.warning("call_given_up", method=method.name, error=type(error).__name__)
        if (
            getattr(error, "plugin", "") != method.plugin
        ):  # the time passed while it waited in the queue
            return _refused(OverloadLimit(), caller)
        late = (
            f"The method ran longer than {limit:g} seconds and was given up; nothing was changed."
        )
        return _refused(method.unexpected(late), caller)


def _request(caller: Caller, method: Method, arguments: Mapping[str, Any]) -> Request:
    """Turn tool arguments into a request of the kernel; raises `InvalidRequest` if too large."""
    _refuse_large(arguments, method.bounds)
    params = {name: value for name, value in arguments.items() if name not in ("auth", *_OPTIONS)}
    options = {
        name: arguments[name] for name in _OPTIONS if arguments.get(name) not in (None, False)
    }
    return Request(
        method=method.name,
        params=params,
        credential=caller.credential,
        id=caller.id,
        address=caller.address,
        traceparent=caller.traceparent,
        options=options,
    )


def _refuse_large(arguments: Mapping[str, Any], bounds: Bounds) -> None:
    """Apply the bounds of `/rest`: refuse too many values, deep nesting, and NUL characters."""
    allowed = bounds.values
    waiting: list[tuple[Any, int]] = [(arguments, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str) and "\0" in value:
            raise InvalidRequest("A string in the request holds a NUL character.")
        if not isinstance(value, dict | list):
            continue
        allowed -= len(value)
        if allowed < 0:
            raise InvalidRequest(f"The request has more than {bounds.values} keys and items.")
        if depth > bounds.depth:
            raise InvalidRequest(f"The request is nested deeper than {bounds.depth} levels.")
        inner = (*value, *value.values()) if isinstance(value, dict) else value
        waiting += [(each, depth + 1) for each in inner]


def _answer_of(reply: Reply, request: Request, method: Method) -> Answer:
    """Turn a reply into an answer. A call that wrote gets its request id, for `call.undo`."""
    if isinstance(reply, Failure):
        data = {} if reply.data is None else {"error_data": msgspec.json.decode(reply.data)}
        if reply.argument is not None:
            data["argument"] = reply.argument
        return Answer(_failure(reply.error, reply.error_description, reply, request.id) | data)
    body: dict[str, Any] = {"result": _result(reply)}
    more = {name: getattr(reply, name) for name in ("next", "total", "warnings")}
    body |= {name: value for name, value in more.items() if value is not UNSET}
    if isinstance(reply.more, Mapping):
        body |= reply.more
    if method.writes and "dry_run" not in body:
        body["request_id"] = request.id
    return Answer(msgspec.to_builtins(body))


def _result(reply: Success) -> Any:
    if isinstance(reply.result, Raw):
        return msgspec.json.decode(reply.result)
    return _file(reply.result) if isinstance(reply.result, Download) else None


def _file(file: Download) -> dict[str, str]:
    """Return a file's name, type and content: as text if its type is text, else in Base64."""
    content, pieces = file.content, []
    if isinstance(content, Path):
        with content.open("rb") as opened:
            pieces = [opened.read(_LARGEST_FILE + 1)]
    elif isinstance(content, bytes):
        pieces = [content]
    else:
        size = 0
        for piece in content:
            pieces.append(piece)
            size += len(piece)
            if size > _LARGEST_FILE:
                break
    whole = b"".join(pieces)
    described = {"name": file.name, "media_type": file.media_type}
    if len(whole) > _LARGEST_FILE:
        return described | {
            "left_out": f"It is larger than {_LARGEST_FILE} bytes: get it from /rest."
        }
    if file.media_type.startswith("text/"):
        return described | {"text": whole.decode("utf-8", "replace")}
    return described | {"base64": base64.b64encode(whole).decode()}


def _refused(error: CallError, caller: Caller) -> Answer:
    return Answer(_failure(error.code, error.description, error, caller.id))


def _failure(code: str, text: str, error: Failure | CallError, request_id: str) -> dict[str, Any]:
    later = {} if error.retry_after is None else {"retry_after": error.retry_after}
    return {"error": code, "error_description": text, **later, "request_id": request_id}
