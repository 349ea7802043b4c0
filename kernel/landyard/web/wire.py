"""Parses HTTP requests of any form into Requests, and writes Replies as bytes (C2-C4)."""

import functools
import itertools
import os
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import multipart
import structlog
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard import forms
from landyard.core.calls import (
    CallOption,
    Credential,
    Download,
    Failure,
    NoContent,
    Reply,
    Request,
)
from landyard.core.errors import CallError, InvalidRequest, OverloadLimit
from landyard.core.methods import Bounds, FilePart
from landyard.core.timing import Deadline
from landyard.logs import hidden
from landyard.plugin_host.readers import spelled

log = structlog.get_logger()
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_JSON_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_counted = itertools.count(1)

Headers = tuple[tuple[bytes, bytes], ...]
Options = Mapping[str, CallOption]
CLOSE = (b"connection", b"close")
_SAFE: Headers = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
)
_USUAL: Headers = ((b"content-type", b"application/json; charset=utf-8"), *_SAFE)


class Incoming(Struct, frozen=True):
    """An HTTP request, received whole. `path` is what follows `/rest`, percent-decoded."""

    verb: str
    path: str
    query: bytes = b""
    content_type: str = ""
    authorization: str = ""
    body: bytes = b""
    id: str = ""
    address: str = ""
    traceparent: str = ""
    options: Mapping[str, str] = {}


class Outgoing(Struct, frozen=True):
    """An HTTP answer: `headers` but for the request id, `content` in place of the `body`."""

    status: int
    body: bytes
    headers: Headers
    content: Download | NoContent | None = None


Dispatch = Callable[[Request, Deadline], Reply]
Target = tuple[str, Credential | None]  # the method and the webhook that a path names


def answer(
    dispatch: Dispatch,
    incoming: Incoming,
    target: Target,
    bounds: Bounds,
    deadline: Deadline,
    *,
    options: Options,
) -> Outgoing:
    """Read a request, dispatch it, and write the reply; raises the errors of `decode`."""
    try:
        request = decode(incoming, target, bounds, options)
    except MemoryError:  # nothing is wrong with the request, and nothing was done
        raise OverloadLimit from None
    if request.credential is not None:
        hidden.set((request.credential.secret, False))
    try:
        return encode(dispatch(request, deadline))
    finally:
        hidden.set(("", False))


def request_id(sent: str) -> str:
    """Keep the caller's request id where it is harmless, else make one (C14)."""
    if sent and _REQUEST_ID.fullmatch(sent):
        return sent
    return f"{_process(os.getpid())}{next(_counted):08x}"


@functools.cache
def _process(_pid: int) -> str:
    """Name a process, which may have been forked from one with a name: unique, not secret."""
    return uuid.uuid4().hex[:12]


def decode(incoming: Incoming, target: Target, bounds: Bounds, options: Options) -> Request:
    """Read a request; raises `InvalidRequest` for one that is unreadable (C3) or too large."""
    if incoming.verb not in ("POST", "GET"):
        raise InvalidRequest(f"Use POST or GET; {incoming.verb[:20]} is not answered here.")
    query = _read_form(incoming.query, bounds) if incoming.query else {}
    body = _read_body(incoming, bounds) if incoming.body else {}
    params = {**query, **body}
    params.pop("auth", None)
    asked = {**incoming.options, **{name: params.pop(name) for name in options if name in params}}
    for name in [*asked]:
        if options[name].flag and not _is_on(name, incoming.options, query, body):
            del asked[name]
    method, webhook = target
    credential = webhook or _token(query, body, incoming.authorization)
    came = incoming.id, incoming.address, incoming.traceparent
    return Request(method, params, credential, *came, asked)


def _is_on(flag: str, *sources: Mapping[str, Any]) -> bool:
    """Tell whether a call's flag is on; raises `InvalidRequest` for values that contradict.

    A flag without a value is on, and so is one with a value that is neither yes nor no: the plugin
    refuses that.
    """
    sent = [each[flag] for each in sources if flag in each]
    if len({None if each == "" else spelled(each) for each in sent}) > 1:
        raise InvalidRequest(f"`{flag}` is said twice, and is not the same.")
    return any(each == "" or spelled(each) is not False for each in sent)


def encode(reply: Reply) -> Outgoing:
    """Write a reply: `{result, time}` or `{error, error_description}`; or content, and a header."""
    if isinstance(reply, Failure):
        return _refused(reply.error, reply.error_description, reply)
    headers: Headers = ()
    if not isinstance(reply.warnings, UnsetType):
        # The header is printable ASCII with any warning, and fits in a proxy's buffer.
        told = "; ".join(reply.warnings).encode("unicode_escape")[:1000]
        headers = ((b"landyard-warning", told),)
        reply = msgspec.structs.replace(reply, warnings=UNSET)
    if isinstance(reply.result, Raw):
        if isinstance(reply.more, UnsetType):
            return json_answer(200, msgspec.json.encode(reply), *headers)
        body = msgspec.json.encode(msgspec.structs.replace(reply, more=UNSET))
        more = msgspec.json.encode(reply.more)
        return json_answer(200, body[:-1] + b"," + more[1:] if reply.more else body, *headers)
    headers = (*headers, (b"landyard-time", msgspec.json.encode(reply.time)))
    if isinstance(reply.result, NoContent):
        return Outgoing(204, b"", (*_SAFE, *headers), reply.result)
    return Outgoing(200, b"", (*_USUAL, *headers), reply.result)


def encode_refusal(error: CallError, *headers: tuple[bytes, bytes]) -> Outgoing:
    return _refused(error.code, error.description, error, *headers)


def _refused(
    code: str, text: str, told: Failure | CallError, *headers: tuple[bytes, bytes]
) -> Outgoing:
    more: dict[str, Any] = {} if told.data is None else {"error_data": Raw(told.data)}
    if told.argument is not None:
        more["argument"] = told.argument
    body = msgspec.json.encode({"error": code, "error_description": text, **more})
    later = () if told.retry_after is None else ((b"retry-after", b"%d" % told.retry_after),)
    return json_answer(told.status, body, *later, *headers)


def json_answer(status: int, body: bytes, *headers: tuple[bytes, bytes]) -> Outgoing:
    """Make an answer in JSON, with the headers that every such answer has."""
    length = (b"content-length", b"%d" % len(body))
    return Outgoing(status, body, (*_USUAL, length, *headers))


def log_refusal(error: CallError, address: str, request_id: str) -> None:
    """Log a request that is refused before it is a call; what it said is not logged."""
    told = {"error": error.code, "status": error.status, "request_id": request_id}
    log.info("request_refused", **told, address=address)


def split(path: str) -> Target:
    """Read a path (C2): `/user/code/method` with a webhook, or `/method`."""
    segments = [segment for segment in path.split("/") if segment]
    webhook = Credential("webhook", segments[1], segments[0]) if len(segments) > 1 else None
    method = "/".join(segments[2:] if webhook else segments)
    return method[:-5] if method[-5:].lower() == ".json" else method, webhook


def _token(query: Mapping[str, Any], body: Mapping[str, Any], header: str) -> Credential | None:
    """Pick the token that counts where the path has no webhook (C15): body, query, header."""
    for source in (body, query):
        auth = source.get("auth")
        if auth is not None:
            return Credential("token", auth if isinstance(auth, str) else "")
    scheme, _, token = header.partition(" ")
    return Credential("token", token.strip()) if scheme.lower() == "bearer" else None


def too_large(limit: int) -> InvalidRequest:
    million = 1024 * 1024
    most = (
        f"{limit / million:.1f}".removesuffix(".0") + " MB"
        if limit >= million
        else f"{limit} bytes"
    )
    text = f"The body is larger than {most}, the most that is taken here. Send a smaller file."
    return InvalidRequest(text, status=413)


def _read_body(incoming: Incoming, bounds: Bounds) -> dict[str, Any]:
    if bounds.size is not None and len(incoming.body) > bounds.size:
        raise too_large(bounds.size)
    if incoming.content_type == "application/json":
        return _read_json(incoming.body, bounds)
    kind, options = multipart.parse_options_header(incoming.content_type)
    match kind.lower():
        case "application/x-www-form-urlencoded" if incoming.body[:1] != b"{":
            return _read_form(incoming.body, bounds)
        case "multipart/form-data":
            return _read_form(incoming.body, bounds, options.get("boundary", ""))
    # Also what begins like JSON under the type of forms: curl names that unless it is told to.
    return _read_json(incoming.body, bounds)


def _read_json(body: bytes, bounds: Bounds) -> dict[str, Any]:
    if body.isspace():
        return {}
    _refuse_many(body, bounds)
    try:
        sent = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        # UnicodeDecodeError is a ValueError. The library's text names a byte, never the content.
        raise InvalidRequest("The body is not JSON that can be read.") from error
    if sent == []:
        return {}
    if not isinstance(sent, dict):
        raise InvalidRequest("The body must be a JSON object.")
    # Only a body that might be too deep or hold NUL is walked.
    if _more(body, b"[{", bounds.depth) or (b"\\" in body and b"\\u0000" in body):
        _refuse_deep_or_nul(sent, bounds)
    return sent


def _refuse_many(body: bytes, bounds: Bounds) -> None:
    """Refuse JSON of too many keys and items before it is parsed: `[[],[],` grows thirtyfold."""
    if not _more(body, b",[{", bounds.values):
        return
    # Counted by what is between them, and not inside of strings. A separator has two strings at
    # most, a key and a value; with more of them it is no JSON.
    strings = itertools.islice(_JSON_STRINGS.finditer(body), 2 * bounds.values)
    inside = sum(body.count(sign, *each.span()) for each in strings for sign in b",[{")
    if sum(map(body.count, b",[{")) - inside > bounds.values:
        raise _too_many(bounds)


def _more(json: bytes, signs: bytes, most: int) -> bool:
    """Tell whether JSON has more than `most` of these signs; quick where a large text has few."""
    for sign in signs if len(json) > most else b"":
        at = -1
        while (at := json.find(sign, at + 1)) >= 0:
            most -= 1
            if most < 0:
                return True
    return False


def _too_many(bounds: Bounds) -> InvalidRequest:
    return InvalidRequest(f"The request has more than {bounds.values} keys and items.")


def _read_form(form: bytes, bounds: Bounds, boundary: str | None = None) -> dict[str, Any]:
    """Read form fields: `a=1&b[c]=2`, or with a `boundary` those of a multipart body."""
    try:
        if boundary is None:
            pairs = forms.urlencoded(form, bounds.values)
        else:
            pairs = forms.multipart_fields(form, boundary, bounds.values)
        if len(pairs) + sum(name.count("[") for name, _ in pairs) > bounds.values:
            raise _too_many(bounds)
        texts = (
            each.name if isinstance(each, FilePart) else each for pair in pairs for each in pair
        )
        if any("\0" in text for text in texts):
            raise _nul()
        return forms.nest(pairs, deepest=bounds.depth)
    except ValueError as error:
        raise InvalidRequest("The form fields cannot be read.") from error


def _nul() -> InvalidRequest:
    return InvalidRequest("A string in the request holds a NUL character.")


def _refuse_deep_or_nul(value: Any, bounds: Bounds, depth: int = 1) -> None:
    if isinstance(value, str) and "\0" in value:
        raise _nul()
    if not isinstance(value, dict | list):
        return
    if depth > bounds.depth:
        raise InvalidRequest(f"The request is nested deeper than {bounds.depth} levels.")
    inner = (*value, *value.values()) if isinstance(value, dict) else value
    for item in inner:
        _refuse_deep_or_nul(item, bounds, depth + 1)
