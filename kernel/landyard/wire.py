"""The wire: HTTP requests in any form become Requests, Replies become bytes (C2-C4)."""

import io
import itertools
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
import multipart
from msgspec import Struct

from landyard.brackets import nest
from landyard.calls import Credential, Failure, Reply, Request
from landyard.errors import CallError, InvalidRequest

DEEPEST = 64
MOST_FIELDS = 10_000
_OUR_SUFFIX = ".json"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Unique, not secret: which process, and how many it has answered.
_PROCESS = uuid.uuid4().hex[:12]
_counted = itertools.count(1)


class Incoming(Struct, frozen=True):
    """An HTTP request, read whole. `path` is what follows `/rest`, percent-decoded.

    `parts` are those of the path where `split` has been asked already.
    """

    verb: str
    path: str
    query: bytes = b""
    content_type: str = ""
    authorization: str = ""
    body: bytes = b""
    id: str = ""
    parts: tuple[str, str, str] | None = None


class Outgoing(Struct, frozen=True):
    """An HTTP answer, ready to send."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()


def request_id(sent: str) -> str:
    """Keep the caller's request id where it is harmless, else make one (C14)."""
    if sent and _REQUEST_ID.fullmatch(sent):
        return sent
    return f"{_PROCESS}{next(_counted):08x}"


def decode(incoming: Incoming) -> Request:
    """Read a request; raises `InvalidRequest` for what cannot be read (C3)."""
    if incoming.verb not in ("POST", "GET"):
        raise InvalidRequest(f"Use POST or GET; {incoming.verb[:20]} is not answered here.")
    query = _read_form(incoming.query)
    body = _read_body(incoming) if incoming.body else {}
    user, code, method = incoming.parts or split(incoming.path)
    credential = _credential(user, code, query, body, incoming.authorization)
    params = {**query, **body}
    params.pop("auth", None)
    return Request(method=method, params=params, credential=credential, id=incoming.id)


def encode(reply: Reply) -> Outgoing:
    """Write a reply: `{result, time}` or `{error, error_description}`."""
    if not isinstance(reply, Failure):
        return Outgoing(200, msgspec.json.encode(reply))
    return _refused(reply.error, reply.error_description, reply.status, reply.retry_after)


def encode_refusal(error: CallError) -> Outgoing:
    """Write what became of a request that never was a call."""
    retry_after = getattr(error, "retry_after", None)
    return _refused(error.code, error.description, error.status, retry_after)


def _refused(code: str, description: str, status: int, retry_after: int | None) -> Outgoing:
    body = msgspec.json.encode({"error": code, "error_description": description})
    later = () if retry_after is None else ((b"retry-after", str(retry_after).encode()),)
    return Outgoing(status, body, later)


def split(path: str) -> tuple[str, str, str]:
    """Split a path into user, webhook code and method (C2); the first two may be empty."""
    segments = [segment for segment in path.split("/") if segment]
    user, code = segments[:2] if len(segments) > 1 else ("", "")
    method = "/".join(segments[2:] if len(segments) > 1 else segments)
    if method[-len(_OUR_SUFFIX) :].lower() == _OUR_SUFFIX:
        method = method[: -len(_OUR_SUFFIX)]
    return user, code, method


def _credential(
    user: str, code: str, query: Mapping[str, Any], body: Mapping[str, Any], authorization: str
) -> Credential | None:
    """Pick the credentials that count (C15): path, body, query, header."""
    if code:
        return Credential("webhook", code, user)
    for source in (body, query):
        auth = source.get("auth")
        if auth is not None:
            return Credential("token", auth if isinstance(auth, str) else "")
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return Credential("token", token.strip())
    return None


def _read_body(incoming: Incoming) -> dict[str, Any]:
    if incoming.content_type == "application/json":
        return _read_json(incoming.body)
    kind, options = multipart.parse_options_header(incoming.content_type)
    match kind.lower():
        case "application/x-www-form-urlencoded" if incoming.body[:1] != b"{":
            return _read_form(incoming.body)
        case "multipart/form-data":
            return _read_multipart(incoming.body, options.get("boundary", ""))
    # Also what begins like JSON under the type of forms: curl names that unless it is told to.
    return _read_json(incoming.body)


def _read_json(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        sent = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        # UnicodeDecodeError is a ValueError. The library's text names a byte, never the content.
        raise InvalidRequest("The body is not JSON that can be read.") from error
    if sent == []:
        return {}
    if not isinstance(sent, dict):
        raise InvalidRequest("The body must be a JSON object.")
    # Counting bytes is cheap; only a body that might be too deep or hold NUL is walked.
    if body.count(b"[") + body.count(b"{") > DEEPEST or b"\\u0000" in body:
        _refuse_deep_or_nul(sent)
    return sent


def _read_form(form: bytes) -> dict[str, Any]:
    """Read `a=1&b[c]=2&d[]=3`, from a query string or a body."""
    if not form:
        return {}
    try:
        # Strictly: the library's default replaces what is not UTF-8.
        pairs = parse_qsl(
            form.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
        fields = nest(pairs, deepest=DEEPEST)
    except ValueError as error:
        raise InvalidRequest("The form fields cannot be read.") from error
    if b"%00" in form or b"\0" in form:
        _refuse_deep_or_nul(fields)
    return fields


def _read_multipart(body: bytes, boundary: str) -> dict[str, Any]:
    """Read the text fields of a form; files are no parameters of any method."""
    try:
        parser = multipart.MultipartParser(
            io.BytesIO(body),
            boundary,
            content_length=len(body),
            part_limit=MOST_FIELDS,
            memory_limit=len(body) + 1,
            strict=True,
        )
        fields = [(part.name, part.raw) for part in parser if not part.filename]
    except (multipart.MultipartError, ValueError) as error:
        raise InvalidRequest("The multipart body cannot be read.") from error
    return _read_form(urlencode(fields).encode())


def _refuse_deep_or_nul(sent: dict[str, Any]) -> None:
    waiting: list[tuple[Any, int]] = [(sent, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str):
            if "\0" in value:
                raise InvalidRequest("A string in the request holds a NUL character.")
            continue
        if not isinstance(value, dict | list):
            continue
        if depth > DEEPEST:
            raise InvalidRequest(f"The request is nested deeper than {DEEPEST} levels.")
        if isinstance(value, dict):
            waiting.extend((key, depth) for key in value)
        inner = value.values() if isinstance(value, dict) else value
        waiting.extend((item, depth + 1) for item in inner)


Answer = Callable[[Incoming], Outgoing]


def answerer(dispatch: Callable[[Request], Reply]) -> Answer:
    """Join the two ends: what the worker threads run for every request."""

    def answer(incoming: Incoming) -> Outgoing:
        try:
            request = decode(incoming)
        except InvalidRequest as error:
            return encode_refusal(error)
        return encode(dispatch(request))

    return answer
