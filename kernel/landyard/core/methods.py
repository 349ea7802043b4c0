"""Methods: how plugins declare them, their size limits, and the table of those that are on."""

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from landyard.core.calls import Call
from landyard.core.errors import CallError, InternalServerError, SystemFailure

Handler = Callable[[Call, Any], Any]
_P = TypeVar("_P", bound=Struct)
_R = TypeVar("_R")
Unknown = Literal["ignore", "refuse"]


_NAME = re.compile(r"[A-Za-z]\w*(\.\w+)*", re.ASCII)


class Bounds(Struct, frozen=True):
    """How large a request may be: beyond it is refused before it is read, or believed.

    `size` is the body's, in bytes; None is as large as the operator's `max_body`, which no group
    exceeds. `depth` is how deep lists and objects are nested (C3), `values` how many keys and items
    they have in all.
    """

    size: int | None = 1024 * 1024
    depth: int = 64
    values: int = 10_000

    def __post_init__(self) -> None:
        """Refuse what is no bound with `TypeError` or `ValueError`."""
        for name in self.__struct_fields__:
            bound = getattr(self, name)
            if bound is None and name == "size":
                continue
            if type(bound) is not int:
                raise TypeError(f"Bounds: {name} must be a whole number, not {bound!r}")
            if bound < 1:
                raise ValueError(f"Bounds: {name} must be 1 or more, not {bound}")


class FilePart(Struct, frozen=True):
    """A file in a form (C3). A parameter takes one where its type says so: `FilePart | str`."""

    name: str
    content: bytes


class Example(Struct, frozen=True):
    """A call of a method as its documentation shows it: parameters sent, result answered."""

    params: dict[str, Any]
    result: Any


_NOTICE = timedelta(days=365)


class Deprecation(Struct, frozen=True):
    """A method's notice: deprecated `since` that day, it may be gone from the day `until` on.

    `instead` names what to call. Between the two is a year at least: `ValueError` for less.
    """

    since: date
    until: date
    instead: str = ""

    def __post_init__(self) -> None:
        """Refuse a notice of less than a year with `ValueError`."""
        if self.until - self.since < _NOTICE:
            raise ValueError(
                f"Deprecation: from {self.since} to {self.until} is less than a year's notice"
            )


class Method(Struct, frozen=True):
    """Everything that is known about a method when it is registered.

    `seconds` is its time limit, None the operator's `plugins.seconds`; `right` says in words which
    right the caller needs besides the scope, such as `edit`.
    """

    name: str
    scope: str
    handler: Handler
    params: type[Struct]
    result: Any
    errors: frozenset[type[CallError]]
    writes: bool
    doc: str
    slow: bool = False
    seconds: float | None = None
    right: str = ""
    example: Example | None = None
    deprecated: Deprecation | None = None
    unknown: Unknown = "ignore"
    transaction: bool = True
    bounds: Bounds = Bounds()
    plugin: str = ""
    version: str = ""

    def declares(self, error: type[CallError]) -> bool:
        """Tell whether this method may answer with `error` (C11)."""
        return error.system or error in self.errors

    @property
    def unexpected(self) -> type[SystemFailure | InternalServerError]:
        """What a caller is told of an error that nobody expected (C11)."""
        return SystemFailure if self.declares(SystemFailure) else InternalServerError

    @property
    def general(self) -> bool:
        """Methods without a scope are open to every credential."""
        return not self.scope


class MethodGroup:
    """A plugin's methods of one permission scope; the empty scope is open to every credential."""

    def __init__(self, scope: str = "", *, bounds: Bounds = Bounds()) -> None:  # noqa: B008 - frozen
        """Start an empty group, whose requests are no larger than `bounds`."""
        if scope and not _NAME.fullmatch(scope):
            raise ValueError(f"scope '{scope}' must be letters, digits, _ and dots")
        self.scope = scope
        self.bounds = bounds
        self.methods: list[Method] = []

    def method(
        self,
        name: str,
        *,
        errors: Iterable[type[CallError]] = (),
        writes: bool = False,
        slow: bool = False,
        seconds: float | None = None,
        right: str = "",
        example: Example | None = None,
        deprecated: Deprecation | None = None,
        unknown: Unknown = "ignore",
        transaction: bool = True,
    ) -> Callable[[Callable[[Call, _P], _R]], Callable[[Call, _P], _R]]:
        """Add the decorated function as the method `name`.

        Its second parameter is annotated with the parameters Struct, its docstring is the
        published text, `errors` are the codes it may raise besides the kernel's own. A `slow` one
        waits for more than the database, such as a download; see `Call.transaction`. One that runs
        longer than `seconds` is given up, and changes nothing. `unknown` parameters are ignored,
        and named in a warning (C4), or the call is refused. Without a `transaction` each method
        that it invokes has its own. `right`, `example` and `deprecated` are part of the published
        text. Raises `TypeError` for a function that cannot be a method, and `ValueError` for a name
        that none can have.
        """

        def add(handler: Callable[[Call, _P], _R]) -> Callable[[Call, _P], _R]:
            described = _describe(handler, name, self.scope, frozenset(errors), writes)
            said = {"right": right, "example": example, "deprecated": deprecated}
            how: dict[str, Any] = {"slow": slow, "seconds": seconds, "bounds": self.bounds}
            how |= {"unknown": unknown, "transaction": transaction}
            self.methods.append(msgspec.structs.replace(described, **how, **said))
            return handler

        return add


class MethodTable:
    """The methods that are on, by name. Names are matched without regard to case (C2)."""

    def __init__(self) -> None:
        """Start empty."""
        self.by_name: dict[str, Method] = {}  # in lower case
        self._sorted: list[Method] | None = None

    def add(self, method: Method) -> None:
        """Take `method` in; raises `ValueError` when its name is taken or an error has no code."""
        for error in method.errors:
            if not hasattr(error, "code"):
                raise ValueError(f"method {method.name}: {error.__name__} has no code: give it one")
        taken = self.by_name.get(method.name.lower())
        if taken is not None:
            raise ValueError(f"method {method.name} is already brought by plugin '{taken.plugin}'")
        self.by_name[method.name.lower()] = method
        self._sorted = None

    def find(self, name: str) -> Method | None:
        return self.by_name.get(name.lower())

    def __iter__(self) -> Iterator[Method]:
        """Go through the methods sorted by name."""
        if self._sorted is None:
            self._sorted = sorted(self.by_name.values(), key=lambda each: each.name)
        return iter(self._sorted)

    def __len__(self) -> int:
        return len(self.by_name)


def _describe(
    handler: Handler, name: str, scope: str, errors: frozenset[type[CallError]], writes: bool
) -> Method:
    if not _NAME.fullmatch(name):
        raise ValueError(f"method {name!r}: a name is letters, digits, _ and dots between them")
    if inspect.iscoroutinefunction(handler):
        raise TypeError(f"method {name}: a handler is a plain function, not `async def`")
    if not inspect.getdoc(handler):
        raise TypeError(f"method {name}: its docstring is the published text, and it has none")
    hints = typing.get_type_hints(handler)
    params = [hints.get(parameter) for parameter in inspect.signature(handler).parameters]
    match params:
        case [_, type() as struct] if issubclass(struct, Struct):
            return Method(
                name=name,
                scope=scope,
                handler=handler,
                params=struct,
                result=hints.get("return", Any),
                errors=errors,
                writes=writes,
                doc=inspect.getdoc(handler) or "",
            )
    raise TypeError(f"method {name}: a handler takes (call: Call, params: <a msgspec Struct>)")
