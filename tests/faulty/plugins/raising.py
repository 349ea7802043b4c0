"""Raises every kind of exception in a handler, a page and a job."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from litestar import get
from msgspec import Struct
from sqlalchemy import text

from landyard import Call, CallError, Job, MethodGroup, SystemFailure, hookimpl

group = MethodGroup(scope="faulty")


class Odd(BaseException):
    """A BaseException that is no `Exception`."""


class Undeclared(CallError):
    code = "FAULTY_UNDECLARED"


class Kind(Struct, frozen=True):
    kind: str = "division"


KINDS: dict[str, BaseException] = {
    "division": ZeroDivisionError("of a faulty plugin"),
    "exit": SystemExit(3),
    "interrupt": KeyboardInterrupt(),
    "generator": GeneratorExit(),
    "stop": StopIteration(),
    "odd": Odd(),
    "undeclared": Undeclared(),
}
NESTED: list[Any] = []
NESTED.append(NESTED)
MORE: dict[str, Callable[[Call], object]] = {
    "deep": lambda call: fail(call, "deep"),
    "unencodable": lambda _: object(),
    "nested": lambda _: NESTED,
    "surrogate": lambda _: "\ud800",
    "commit": lambda call: call.connection.commit(),
    "close": lambda call: call.connection.close(),
    "sql": lambda call: call.connection.execute(text("SELECT * FROM nowhere")),
}


def fail(call: Call, kind: str) -> object:
    if kind in KINDS:
        raise KINDS[kind].with_traceback(None)
    return MORE[kind](call)


@group.method("faulty.raising")
def read(call: Call, params: Kind) -> object:
    """Raise."""
    return fail(call, params.kind)


@group.method("faulty.raising_writing", writes=True, errors=[SystemFailure])
def write(call: Call, params: Kind) -> object:
    """Write, and raise."""
    call.connection.execute(text("UPDATE landing_page SET title = 'Of the faulty one'"))
    return fail(call, params.kind)


class Hook(Struct, frozen=True):
    """The hook of the plugin `hooks` that must fail, and how."""

    hook: str = ""
    how: str = ""


@group.method("faulty.target", writes=True)
def target(call: Call, params: Hook) -> bool:
    """Answer true, where the hooks allow it."""
    if params.hook == "map_error":
        raise LookupError(params.hook, params.how)
    return True


@group.method("faulty.write_unannounced")
def write_unannounced(call: Call, params: Kind) -> object:
    """Write without `writes=True`."""
    call.connection.execute(text("UPDATE landing_page SET title = 'Of the faulty one'"))
    return True


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_routes(host: Any) -> Iterable[object]:
    @get("/faulty/raising/{kind:str}", sync_to_thread=False)
    def page(kind: str) -> str:
        raise KINDS[kind].with_traceback(None)

    return [page]


@hookimpl
def register_jobs() -> Iterable[Job]:
    def work(kind: str) -> None:
        raise KINDS[kind].with_traceback(None)

    each = timedelta(seconds=0.2)
    return [
        Job(f"faulty.{kind}", each, lambda _, kind=kind: work(kind))  # type: ignore[misc]
        for kind in ("division", "exit", "odd")
    ]
