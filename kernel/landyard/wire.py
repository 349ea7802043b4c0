"""The wire: HTTP requests in any form become Requests, Replies become bytes (C2-C4)."""

import itertools
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import multipart
import structlog
from msgspec import Struct

from landyard import forms
from landyard.brackets import nest
from landyard.calls import Credential, Failure, Reply, Request
from landyard.errors import CallError, InvalidRequest
from landyard.logs import hide
from landyard.methods import Bounds

log = structlog.get_logger()
_OUR_SUFFIX = ".json"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_JSON_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
# Unique, not secret: which process, and how many it has answered.
_PROCESS = uuid.uuid4().hex[:12]
_counted = itertools.count(1)


class Incoming(Struct, frozen=True):
    """An HTTP request, read whole. `path` is what follows `/rest`, percent-decoded.

    `parts` are those of the path where `split` has been asked already, `bounds` those of the method
    there; `address` is the caller's.
    """

    verb: str
    path: str
    query: bytes = b""
    content_type: str = ""
    authorization: str = ""
    body: bytes = b""
    id: str = ""
    parts: tuple[str, str, str] | None = None
    bounds: Bounds | None = None
    address: str = ""


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


def decode(incoming: Incoming, bounds_of: Callable[[str], Bounds]) -> Request:
    """Read a request; raises `InvalidRequest` for what cannot be read (C3), or is too large."""
    if incoming.verb not in ("POST", "GET"):
        raise InvalidRequest(f"Use POST or GET; {incoming.verb[:20]} is not answered here.")
    user, code, method = incoming.parts or split(incoming.path)
    bounds = incoming.bounds or bounds_of(method)
    query = _read_form(incoming.query, bounds)
    body = _read_body(incoming, bounds) if incoming.body else {}
    credential = _credential(user, code, query, body, incoming.authorization)
    params = {**query, **body}
    params.pop("auth", None)
    return Request(
        method=method,
        params=params,
        credential=credential,
        id=incoming.id,
        address=incoming.address,
    )


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


def too_large(limit: int) -> InvalidRequest:
    """Say that a body has more than `limit` bytes."""
    return InvalidRequest(f"The body is larger than the {limit} bytes taken here.", status=413)


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
            return _read_multipart(incoming.body, options.get("boundary", ""), bounds)
    # Also what begins like JSON under the type of forms: curl names that unless it is told to.
    return _read_json(incoming.body, bounds)


def _read_json(body: bytes, bounds: Bounds) -> dict[str, Any]:
    if not body.strip():
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
    # Counting bytes is cheap; only a body that might be too deep or hold NUL is walked.
    deep = len(body) > bounds.depth and body.count(b"[") + body.count(b"{") > bounds.depth
    if deep or b"\\u0000" in body:
        _refuse_deep_or_nul(sent, bounds)
    return sent


def _refuse_many(body: bytes, bounds: Bounds) -> None:
    """Refuse JSON of too many keys and items before it is read: `[[],[],` grows thirtyfold."""
    # Every key and item but the first of its kind stands behind a comma. Texts hold commas, too:
    # only where there are many in all it is worth leaving the texts out.
    if len(body) <= bounds.values or _joints(body, 0, len(body)) <= bounds.values:
        return
    joints = end = 0
    for texts, text in enumerate(_JSON_STRINGS.finditer(body)):
        joints += _joints(body, end, text.start())
        end = text.end()
        # A joint has two texts at most, key and value; more than that is no JSON.
        if joints > bounds.values or texts > 2 * bounds.values:
            raise _too_many(bounds)
    if joints + _joints(body, end, len(body)) > bounds.values:
        raise _too_many(bounds)


def _joints(json: bytes, start: int, end: int) -> int:
    return sum(json.count(joint, start, end) for joint in (b",", b"[", b"{"))


def _too_many(bounds: Bounds) -> InvalidRequest:
    return InvalidRequest(f"The request has more than {bounds.values} keys and items.")


def _read_form(form: bytes, bounds: Bounds) -> dict[str, Any]:
    """Read `a=1&b[c]=2&d[]=3`, from a query string or a body."""
    if not form:
        return {}
    try:
        return _nested(forms.urlencoded(form, bounds.values), bounds)
    except ValueError as error:
        raise InvalidRequest("The form fields cannot be read.") from error


def _read_multipart(body: bytes, boundary: str, bounds: Bounds) -> dict[str, Any]:
    """Read the text fields of a form; files are no parameters of any method."""
    try:
        return _nested(forms.parts(body, boundary, bounds.values), bounds)
    except ValueError as error:
        raise InvalidRequest("The multipart body cannot be read.") from error


def _nested(pairs: forms.Pairs, bounds: Bounds) -> dict[str, Any]:
    if len(pairs) + sum(name.count("[") for name, _ in pairs) > bounds.values:
        raise _too_many(bounds)
    if any("\0" in text for pair in pairs for text in pair):
        raise _nul()
    return nest(pairs, deepest=bounds.depth)


def _nul() -> InvalidRequest:
    return InvalidRequest("A string in the request holds a NUL character.")


def _refuse_deep_or_nul(sent: dict[str, Any], bounds: Bounds) -> None:
    waiting: list[tuple[Any, int]] = [(sent, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str):
            if "\0" in value:
                raise _nul()
            continue
        if not isinstance(value, dict | list):
            continue
        if depth > bounds.depth:
            raise InvalidRequest(f"The request is nested deeper than {bounds.depth} levels.")
        if isinstance(value, dict):
            waiting.extend((key, depth) for key in value)
        inner = value.values() if isinstance(value, dict) else value
        waiting.extend((item, depth + 1) for item in inner)


Answer = Callable[[Incoming], Outgoing]


def answerer(dispatch: Callable[[Request], Reply], bounds_of: Callable[[str], Bounds]) -> Answer:
    """Join the two ends: what the worker threads run for every request.

    `bounds_of` says how large a request for a method of this name may be.
    """

    def answer(incoming: Incoming) -> Outgoing:
        try:
            request = decode(incoming, bounds_of)
        except InvalidRequest as error:
            log.info(
                "request_refused",
                error=error.code,
                status=error.status,
                address=incoming.address,
                request_id=incoming.id,
            )
            return encode_refusal(error)
        if request.credential is not None:
            hide(request.credential.secret)
        try:
            return encode(dispatch(request))
        finally:
            hide("")

    return answer
