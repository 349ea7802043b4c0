"""The error codes that a method may answer with, by their HTTP status."""

from collections.abc import Iterable

from msgspec import Struct

from landyard import CallError, InvalidRequest, Method, system_errors


class Code(Struct, frozen=True):
    """An error code; a `system` one may come out of any method."""

    status: int
    code: str
    text: str
    system: bool


_TOO_LARGE = Code(413, InvalidRequest.code, "The body is larger than is taken here.", system=True)


def system_codes() -> list[Code]:
    """List the codes that any method may answer with, by status."""
    return _sorted([*map(_code, system_errors()), _TOO_LARGE])


def own_codes(method: Method) -> list[Code]:
    """List the codes that a method declares itself, by status."""
    return _sorted(map(_code, method.errors))


def by_status(method: Method | None = None) -> dict[int, list[Code]]:
    """Group the codes that any method, or this one, may answer with by their HTTP status."""
    own = [] if method is None else own_codes(method)
    grouped: dict[int, list[Code]] = {}
    for each in _sorted([*system_codes(), *own]):
        grouped.setdefault(each.status, []).append(each)
    return grouped


def _code(error: type[CallError]) -> Code:
    return Code(error.status, error.code, error.text, error.system)


def _sorted(codes: Iterable[Code]) -> list[Code]:
    return sorted(set(codes), key=lambda each: (each.status, each.code.lower()))
