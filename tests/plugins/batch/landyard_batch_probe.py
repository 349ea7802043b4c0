"""A plugin of test methods for batches: they crash, answer a file, or wait."""

from typing import Any

from msgspec import Struct

from landyard import Call, CallError, Download, MethodGroup, Paged, SystemFailure, hookimpl

probes = MethodGroup()


class Refused(CallError):
    code = "PROBE_REFUSED"
    text = "Not today."


class Value(Struct, frozen=True):
    """`value`: anything."""

    value: Any = None


@probes.method("probe.echo")
def echo(call: Call, params: Value) -> Any:
    """Answer what came."""
    return params.value


@probes.method("probe.record")
def record(call: Call, params: Value) -> dict[str, Any]:
    """Answer a record with lists inside."""
    return {"ID": 7, "NAME": "Ann", "DEPARTMENT": [3, 5], "ROWS": [{"ID": 11}], "DONE": True}


@probes.method("probe.many")
def many(call: Call, params: Value) -> list[int]:
    """Answer many numbers."""
    return list(range(6000))


@probes.method("probe.deep")
def deep(call: Call, params: Value) -> Any:
    """Answer lists in lists."""
    found: Any = 1
    for _ in range(63):
        found = [found]
    return found


@probes.method("probe.list")
def items(call: Call, params: Value) -> Paged[int]:
    """Answer the first part of a list."""
    return Paged([1, 2], next=2, total=9)


@probes.method("probe.refuse", errors=[Refused])
def refuse(call: Call, params: Value) -> bool:
    """Refuse."""
    raise Refused


@probes.method("probe.crash")
def crash(call: Call, params: Value) -> bool:
    """Fail unexpectedly."""
    raise ZeroDivisionError


@probes.method("probe.failure", errors=[SystemFailure])
def failure(call: Call, params: Value) -> bool:
    """Fail unexpectedly, with the code that says so."""
    raise ZeroDivisionError


@probes.method("probe.odd")
def odd(call: Call, params: Value) -> Any:
    """Answer what JSON cannot write."""
    return object()


@probes.method("probe.file")
def file(call: Call, params: Value) -> Download:
    """Answer a file."""
    return Download(b"x", "x.txt")


@probes.method("probe.none")
def nothing(call: Call, params: Value) -> None:
    """Answer null."""


@hookimpl
def register_methods() -> MethodGroup:
    return probes
