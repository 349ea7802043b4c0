"""Method groups, in which a plugin declares its methods."""

import inspect
import re
import typing
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import Struct

from landyard.core.calls import MEDIA_TYPE
from landyard.core.errors import CallError
from landyard.core.methods import Alias, Bounds, Deprecation, Example, Handler, Method, Unknown
from landyard.core.running import Call

_P = TypeVar("_P", bound=Struct)
_R = TypeVar("_R")

_NAME = re.compile(r"[A-Za-z]\w*(\.\w+)*", re.ASCII)


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
        quick: bool = False,
        seconds: float | None = None,
        right: str = "",
        example: Example | None = None,
        deprecated: Deprecation | None = None,
        aliases: Iterable[str | Alias] = (),
        unknown: Unknown = "ignore",
        transaction: bool = True,
        options: Iterable[str] = (),
        notes: Iterable[Struct] = (),
        media_type: str = "application/octet-stream",
    ) -> Callable[[Callable[[Call, _P], _R]], Callable[[Call, _P], _R]]:
        """Add the decorated function as the method `name`.

        Its second parameter is annotated with the parameters Struct, its docstring is the
        published text, `errors` are the codes it may raise besides the kernel's own. A method is
        `slow` when it waits for more than the database, such as a download; see `Call.transaction`.
        A `quick` one waits for nothing, and may run on the event loop, without a limit. A call of
        another that runs longer than `seconds` is given up, and changes nothing. `unknown`
        parameters are ignored, and named in a warning (C4), or the call is refused. Without a
        `transaction` each method that it invokes has its own. `options` are the call options that
        the handler of a slow method, or of one without a transaction, handles itself. `notes` are
        for plugins, one of a type; see `landyard.Irreversible` and `landyard.Secret`. `media_type`
        is that of the `Download` it answers, such as `text/csv`. `right`, `example` and
        `deprecated` are published with it. `aliases` are other names of it. Raises `TypeError` for
        a function that cannot be a method, `ValueError` for a name that none can have.
        """
        if isinstance(aliases, str):
            raise TypeError(f"method {name}: aliases are a list of names")
        others = tuple(Alias(each) if isinstance(each, str) else each for each in aliases)
        for each in (name, *(other.name for other in others)):
            if not _NAME.fullmatch(each):
                raise ValueError(f"method {each!r}: a name is letters, digits, _ and inner dots")
        if quick and (writes or slow or seconds):
            raise ValueError(f"method {name}: a quick one reads, in no time")
        if not MEDIA_TYPE.fullmatch(media_type):
            raise ValueError(f"method {name}: {media_type!r} is no media type")
        noted = tuple(notes)
        by_type = {type(each): each for each in noted}
        if len(by_type) < len(noted):
            raise TypeError(f"method {name}: two of its notes are of one type")
        said: dict[str, Any] = {"scope": self.scope, "bounds": self.bounds, "aliases": others}
        said |= {"errors": frozenset(errors), "writes": writes, "slow": slow, "seconds": seconds}
        said |= {"right": right, "example": example, "deprecated": deprecated, "unknown": unknown}
        said |= {"transaction": transaction, "media_type": media_type}
        said |= {"options": tuple(options), "quick": quick, "notes": by_type}

        def add(handler: Callable[[Call, _P], _R]) -> Callable[[Call, _P], _R]:
            self.methods.append(_described(handler, name, said))
            return handler

        return add


def _described(handler: Handler, name: str, said: dict[str, Any]) -> Method:
    if inspect.iscoroutinefunction(handler):
        raise TypeError(f"method {name}: a handler is a plain function, not `async def`")
    doc = inspect.getdoc(handler)
    if not doc:
        raise TypeError(f"method {name}: its docstring is the published text, and it has none")
    try:
        hints = typing.get_type_hints(handler)
    except NameError as error:
        raise TypeError(
            f"method {name}: the name {error.name} is not known where its annotation is read:"
            " define it at the top of the module, or leave out `from __future__ import annotations`"
        ) from error
    result = hints.get("return", Any)
    match [hints.get(parameter) for parameter in inspect.signature(handler).parameters]:
        case [_, type() as params] if issubclass(params, Struct):
            return Method(name=name, handler=handler, params=params, result=result, doc=doc, **said)
    raise TypeError(
        f"method {name}: a handler takes (call: Call, params: <a msgspec Struct>); a dataclass, a"
        " row of SQLModel or a model of pydantic is none"
    )
