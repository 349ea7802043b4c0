"""The record of a method with its size limits, and the table of the methods that are on."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal

import msgspec
from msgspec import Struct

from landyard.core.calls import Actor
from landyard.core.errors import CallError, InternalServerError, SystemFailure

Handler = Callable[..., Any]
"""A function that takes a `Call` and a parameters Struct."""
Unknown = Literal["ignore", "refuse"]


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
        for name in self.__struct_fields__:
            bound = getattr(self, name)
            if bound is None and name == "size":
                continue
            if type(bound) is not int:
                raise TypeError(f"Bounds: {name} must be a whole number, not {bound!r}")
            if bound < 1:
                raise ValueError(f"Bounds: {name} must be 1 or more, not {bound}")


class FilePart(Struct, frozen=True):
    """A file: a part of a form (C3), or in JSON an array of its name and its content in Base64.

    A parameter of this type takes one, of `list[FilePart]` all parts of its name. One of the type
    `FilePart | str` takes a part of a form, or text. The name is what the caller says.
    """

    name: str
    content: bytes


class Example(Struct, frozen=True):
    """A call of a method as its documentation shows it: parameters sent, result answered."""

    params: dict[str, Any]
    result: Any = None


class Deprecation(Struct, frozen=True):
    """A method's notice: deprecated `since` that day, it may be gone from the day `until` on.

    `instead` names what to call. Between the two is a year at least: `ValueError` for less.
    """

    since: date
    until: date
    instead: str = ""

    def __post_init__(self) -> None:
        if self.until - self.since < timedelta(days=365):
            raise ValueError(
                f"Deprecation: from {self.since} to {self.until} is less than a year's notice"
            )


class Alias(Struct, frozen=True):
    """Another name of a method, which may be on its way out while the method stays."""

    name: str
    deprecated: Deprecation | None = None


class Hook(Struct, frozen=True):
    """A plugin's function for one hook, and the names of the arguments that it takes."""

    plugin: str
    name: str
    function: Callable[..., Any]
    arguments: Sequence[str]

    def __call__(self, given: Mapping[str, object]) -> Any:
        """Call the function with those of the arguments `given` that it takes."""
        return self.function(*map(given.__getitem__, self.arguments))


class Method(Struct, frozen=True):
    """The record of a method, complete when it is registered.

    `seconds` is its time limit, None the operator's `plugins.seconds`. `right` names in words the
    right that the caller needs besides the scope, such as `edit`. `notes` are by type, for plugins:
    the kernel reads none.
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
    quick: bool = False
    seconds: float | None = None
    right: str = ""
    example: Example | None = None
    deprecated: Deprecation | None = None
    unknown: Unknown = "ignore"
    transaction: bool = True
    options: tuple[str, ...] = ()
    notes: Mapping[type[Struct], Struct] = {}
    media_type: str = "application/octet-stream"
    bounds: Bounds = Bounds()
    plugin: str = ""
    version: str = ""
    aliases: tuple[Alias, ...] = ()

    def declares(self, error: type[CallError]) -> bool:
        """Tell whether this method may answer with `error` (C11)."""
        return error.system or error in self.errors

    @property
    def named(self) -> "dict[str, Method]":
        """The method by each of its names; under an alias it has the notice of that one."""
        named = {self.name: self}
        for each in self.aliases:
            notice = each.deprecated or self.deprecated
            named[each.name] = msgspec.structs.replace(self, deprecated=notice)
        return named

    @property
    def unexpected(self) -> type[SystemFailure | InternalServerError]:
        """The error that a caller is told when an unexpected one occurred (C11)."""
        return SystemFailure if self.declares(SystemFailure) else InternalServerError

    @property
    def general(self) -> bool:
        """Methods without a scope are open to every credential."""
        return not self.scope


class MethodTable:
    """The methods that are on, by name. Names are matched without regard to case (C2).

    Names are listed sorted and in their documented spelling, once no method is added any more.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Method] = {}  # in lower case, also by aliases
        self._available: dict[frozenset[str], list[str]] = {}  # by a caller's scopes

    def add(self, method: Method) -> None:
        """Take `method` in; raises `ValueError` when its name is taken, or for an error's code."""
        for error in method.errors:
            if not hasattr(error, "code"):
                raise ValueError(f"method {method.name}: {error.__name__} has no code: give it one")
            if error.status not in range(400, 600):
                told = f"{error.__name__} has the status {error.status}: give it one of 400 to 599"
                raise ValueError(f"method {method.name}: {told}")
        for name, named in method.named.items():
            taken = self.by_name.setdefault(name.lower(), named)
            if taken is not named:
                raise ValueError(f"method {name} is already brought by plugin '{taken.plugin}'")

    def find(self, name: str) -> Method | None:
        return self.by_name.get(name.lower())

    def everything(self) -> list[str]:
        return self._names({method.scope for method in self})

    def available(self, actor: Actor) -> list[str]:
        """List the general methods and those whose scope the caller's credential holds."""
        known = self._available.get(actor.scopes)
        if known is None:
            known = self._available[actor.scopes] = self._names({"", *actor.scopes})
        return list(known)

    def suggest(self, name: str, actor: Actor) -> str | None:
        """Say which name is most like an unknown one, of those that are available to the caller."""
        from difflib import get_close_matches  # slow to import

        names = {each.lower(): each for each in self.available(actor)}
        close = get_close_matches(name[:100].lower(), names, 1, cutoff=0.75)
        return f"There is no such method; did you mean `{names[close[0]]}`?" if close else None

    def __iter__(self) -> Iterator[Method]:
        own = (each for name, each in self.by_name.items() if name == each.name.lower())
        return iter(sorted(own, key=lambda each: each.name))

    def _names(self, scopes: Container[str]) -> list[str]:
        return sorted(name for each in self if each.scope in scopes for name in each.named)
