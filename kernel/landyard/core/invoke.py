"""Invoke: a method calls another one, for the same caller and in the same transaction."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
from msgspec import Raw

from landyard.core.calls import Reply, Result, Success
from landyard.core.errors import DeadlineExceeded, Postponed

if TYPE_CHECKING:
    from landyard.core.dispatch import Dispatcher, Running
    from landyard.core.ports import UnitOfWork

Given = Mapping[str, Any]
_LEFT_OUT = Raw(b"null")
DEEPEST = 8  # methods that invoke each other


class _NoTransaction:
    """Stands for the unit of work: of methods with `transaction=False`, and on the event loop."""

    opened = None

    def __getattr__(self, name: str) -> NoReturn:
        if self is NOT_NOW:  # it begins anew, in a thread
            raise Postponed(0.0)
        raise RuntimeError(
            "the method is registered with transaction=False: open one with `call.transaction`"
        )


NO_TRANSACTION: Any = _NoTransaction()
NOT_NOW: Any = _NoTransaction()


def invoke(
    self: "Dispatcher",
    outer: "Running",
    unit: "UnitOfWork",
    name: str,
    params: Given,
    *,
    options: Given = MappingProxyType({}),
    plain: bool = True,
) -> Any:
    """Run the method `name` as a call inside of `outer`; returns what its handler returns.

    Everything is asked again: hooks, scope, parameters, breaker. Raises the `CallError` that a
    caller would be told, and `RuntimeError` for what the author of the outer method got wrong.
    """
    method = outer.registry.methods.find(name)
    assert outer.method is not None
    if outer.depth == DEEPEST:
        raise RuntimeError(f"{name}: methods invoke each other more than {DEEPEST} deep")
    if method is not None and method.writes and not outer.method.writes:
        raise RuntimeError(f"{outer.method.name} reads, and invokes {method.name}, which writes")
    request = msgspec.structs.replace(outer.request, method=name, params=params, options=options)
    inner = type(outer)(self, outer.registry, request, outer.deadline, outer.dry)
    inner.actor, inner.depth, inner.plain = outer.actor, outer.depth + 1, plain
    inner.unit = None if unit is NO_TRANSACTION else unit
    inner.warnings = outer.warnings
    above, outer.deadline.doing = outer.deadline.doing, method.name if method else name
    try:
        result = self.run(inner)
    except DeadlineExceeded:
        raise
    except Exception as error:
        told, reply, crash = self.failed(inner, error)
        outer.invoked.append((inner, reply, crash))
        if told is error or crash is not None:
            raise
        raise told from error
    finally:
        outer.deadline.doing = above
    done = Result(Raw(b"null")) if plain else result
    success: Reply = Success(done.body, self.timing(inner), done.next, done.total)
    outer.invoked.append((inner, success, None))
    return result


def ask(
    self: "Dispatcher", outer: "Running", unit: "UnitOfWork", name: str, params: Given, **asked: Any
) -> Reply:
    """Do as `invoke` does; returns the reply that a caller would be sent, also of a failure.

    Raises what ends the transaction of the outer call, too: a deadlock, a database that is away.
    """
    before = len(outer.invoked)
    try:
        invoke(self, outer, unit, name, params, options=asked, plain=False)
    except Exception as error:
        if len(outer.invoked) == before:  # it never was a call, or its time is up
            raise
        if unit is not NO_TRANSACTION and self.hooks.is_host_fault(error):
            raise  # the database has given the transaction up: the whole of it is run again
    inner, reply, crash = outer.invoked[-1]
    if isinstance(reply, Success):  # the caller keeps the answer; observers need the outcome alone
        outer.invoked[-1] = inner, msgspec.structs.replace(reply, result=_LEFT_OUT), crash
    return reply
