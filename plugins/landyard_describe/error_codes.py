"""The error codes that a method may answer with, by their HTTP status."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from landyard import CallError, InvalidRequest, Method


class Code(Struct, frozen=True):
    """An error code; a `system` one may be answered by any method."""

    status: int
    code: str
    text: str
    system: bool


_TOO_LARGE = Code(413, InvalidRequest.code, "The body is larger than the limit.", system=True)


def system_codes() -> list[Code]:
    """List the codes that any method may answer with, by status."""
    return _sorted([*map(_code, _system_errors(CallError)), _TOO_LARGE])


def own_codes(method: Method) -> list[Code]:
    """List the codes that a method declares itself, by status."""
    return _sorted(map(_code, method.errors))


def by_status(method: Method | None = None) -> dict[int, list[Code]]:
    """Group by HTTP status the codes that any method may answer, with those of `method`."""
    own = [] if method is None else own_codes(method)
    grouped: dict[int, list[Code]] = {}
    for each in _sorted([*system_codes(), *own]):
        grouped.setdefault(each.status, []).append(each)
    return grouped


def _system_errors(error: type[CallError]) -> Iterator[type[CallError]]:
    """Yield the system errors of the kernel, and of plugins that handle options of calls."""
    for each in error.__subclasses__():
        if each.system and "code" in vars(each) and each.__module__.startswith("landyard"):
            yield each
        yield from _system_errors(each)


def _code(error: type[CallError]) -> Code:
    return Code(error.status, error.code, error.text, error.system)


def _sorted(codes: Iterable[Code]) -> list[Code]:
    return sorted(set(codes), key=lambda each: (each.status, each.code.lower()))
