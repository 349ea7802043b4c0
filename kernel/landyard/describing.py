"""What can be told of a method: its names, its place, and the codes it may answer with."""

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from msgspec import Struct

from landyard import errors
from landyard.errors import CallError, InvalidRequest
from landyard.methods import Method


class Code(Struct, frozen=True):
    """A code that a method may answer with; a `system` one may come out of any method."""

    code: str
    status: int
    text: str
    system: bool


_TOO_LARGE = Code(InvalidRequest.code, 413, "The body is larger than is taken here.", system=True)


# Python 3.13 names them so, and older ones otherwise.
_RENAMED = {413: "Content Too Large", 422: "Unprocessable Content"}

_CODE_SPAN = re.compile(r"(`[^`]*`)")


def system_codes() -> list[Code]:
    """List the codes that any method may answer with, by status."""
    known = [each for each in vars(errors).values() if isinstance(each, type)]
    found = {
        _code(each)
        for each in known
        if issubclass(each, CallError) and each.system and hasattr(each, "code")
    }
    return _sorted({*found, _TOO_LARGE})


def own_codes(method: Method) -> list[Code]:
    """List the codes that a method declares itself, by status."""
    return _sorted({_code(each) for each in method.errors})


def by_status(codes: Iterable[Code]) -> dict[int, list[Code]]:
    """Group codes by their HTTP status."""
    grouped: dict[int, list[Code]] = {}
    for each in _sorted(set(codes)):
        grouped.setdefault(each.status, []).append(each)
    return grouped


def phrase(status: int) -> str:
    """Name a status in words, e.g. `Bad Request`."""
    if status in _RENAMED:
        return _RENAMED[status]
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"Status {status}"


def operation_id(name: str) -> str:
    """Name a method as code does: `landing.block.getlist` is `landingBlockGetlist`."""
    first, *rest = re.findall(r"[A-Za-z0-9]+", name) or ["method"]
    joined = first[0].lower() + first[1:] + "".join(each[0].upper() + each[1:] for each in rest)
    return joined if joined[0].isalpha() else f"method{joined}"


def component(name: str) -> str:
    """Name what belongs to a method as types are named: `LandingBlockGetlist`."""
    named = operation_id(name)
    return named[0].upper() + named[1:]


def summary(method: Method) -> str:
    return method.doc.partition("\n")[0]


def text(method: Method) -> str:
    """Return all that is published of a method: its deprecation, what it does, what it needs."""
    parts = (deprecation(method), method.doc, needs(method))
    return "\n\n".join(plain(part) for part in parts if part)


def plain(markdown: str) -> str:
    """Return Markdown in which `<` and `&` are themselves: readers of it make HTML of the rest."""
    spans = _CODE_SPAN.split(markdown)
    for index in range(0, len(spans), 2):  # those between are code
        spans[index] = spans[index].replace("&", "&amp;").replace("<", "&lt;")
    return "".join(spans)


def needs(method: Method) -> str:
    """Tell in one line who brings a method, what a caller needs, and what bounds there are."""
    scope = f"scope `{method.scope}`" if method.scope else "general: open to every credential"
    parts = [f"Plugin `{method.plugin}`", scope]
    if method.right:
        parts.append(f"right: {method.right}")
    parts.append("writes" if method.writes else "reads")
    if method.seconds is not None:
        parts.append(f"given up after {method.seconds:g} s")
    if method.bounds.size is not None:
        parts.append(f"bodies of up to {size(method.bounds.size)}")
    return "; ".join(parts) + "."


def size(count: int) -> str:
    """Write a number of bytes for people."""
    return f"{count // 1024 // 1024} MiB" if count >= 1024 * 1024 else f"{count} bytes"


def group(name: str) -> str:
    """Name the group that a method belongs to by its name: all but the last part of it."""
    return name.rpartition(".")[0] or name


def deprecation(method: Method) -> str:
    """Tell since when a method is deprecated, until when it stays, and what to call instead."""
    notice = method.deprecated
    if notice is None:
        return ""
    instead = f" Call `{notice.instead}` instead." if notice.instead else ""
    return f"Deprecated since {notice.since}; it stays until {notice.until}.{instead}"


def facts(method: Method) -> dict[str, Any]:
    """Collect what no format has a word for: the value of `x-landyard`."""
    found: dict[str, Any] = {
        "method": method.name,
        "plugin": method.plugin,
        "version": method.version,
        "scope": method.scope,
        "right": method.right,
        "writes": method.writes,
        "seconds": method.seconds,
        "bodyBytes": method.bounds.size,
    }
    if method.deprecated is not None:
        found["deprecated"] = {
            "since": str(method.deprecated.since),
            "until": str(method.deprecated.until),
            "instead": method.deprecated.instead,
        }
    return found


def _code(error: type[CallError]) -> Code:
    return Code(error.code, error.status, error.text, error.system)


def _sorted(codes: Iterable[Code]) -> list[Code]:
    return sorted(codes, key=lambda each: (each.status, each.code.lower()))
