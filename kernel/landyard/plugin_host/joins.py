"""Joins: what plugins do before and after methods, also of other plugins, or when one fails."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec
import structlog
from msgspec import Struct

from landyard.core.calls import Download, NoContent, Paged
from landyard.core.errors import CallError
from landyard.core.hook_calls import Outcome
from landyard.core.methods import Hook, Method
from landyard.hooks import Join

log = structlog.get_logger()

_BEFORE = ("call", "method", "params")
_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "before": _BEFORE,
    "after": (*_BEFORE, "result"),
    "failed": Outcome.__struct_fields__,
}


class Joined(Struct, frozen=True):
    """A join that was checked, of a plugin; its functions as hooks, by `before`, `after`, …."""

    plugin: str
    methods: str
    errors: frozenset[type[CallError]]
    hooks: Mapping[str, Hook]

    def matches(self, method: Method) -> bool:
        return any(fnmatchcase(name.lower(), self.methods.lower()) for name in method.named)

    def to(self, method: Method) -> Method:
        """Return the method with this join behind those that it has; who joins may wait."""
        parts: dict[str, Any] = {"errors": method.errors | self.errors, "quick": False}
        parts |= {when: (*getattr(method, when), hook) for when, hook in self.hooks.items()}
        return msgspec.structs.replace(method, **parts)


def checked(plugin: str, join: Join) -> Joined:
    """Check a join; raises `TypeError`."""
    hooks = {
        when: _hook(plugin, f"{when} {join.methods}", function, known)
        for when, known in _ARGUMENTS.items()
        if (function := getattr(join, when)) is not None
    }
    if not hooks:
        raise TypeError(f"join '{join.methods}' has neither `before`, `after` nor `failed`")
    if wrong := [each.__name__ for each in join.errors if not hasattr(each, "code")]:
        raise TypeError(f"join '{join.methods}': {', '.join(wrong)} has no code")
    if after := hooks.get("after"):
        function = functools.partial(_added, after)
        hooks["after"] = Hook(plugin, after.name, function, _ARGUMENTS["after"])
    return Joined(plugin, join.methods, frozenset(join.errors), hooks)


def joined(methods: Mapping[str, Method], joins: Iterable[Joined]) -> dict[str, Method]:
    """Return the methods with what joins in them, in this order; logs joins without a method."""
    found = dict(methods)
    for join in joins:
        names = [name for name, method in found.items() if join.matches(method)]
        if not names:
            log.warning("join_unmatched", plugin=join.plugin, methods=join.methods)
        found |= {name: join.to(found[name]) for name in names}
    return found


def is_async(function: Any) -> bool:
    """Tell whether what it returns would have to be awaited."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _hook(plugin: str, name: str, function: Callable[..., Any], known: Sequence[str]) -> Hook:
    if is_async(function):
        raise TypeError(f"join '{name}' is `async def`; joins are plain functions")
    arguments = tuple(inspect.signature(function).parameters)
    if unknown := [each for each in arguments if each not in known]:
        raise TypeError(
            f"join '{name}' takes '{unknown[0]}', and is given {', '.join(known)} by their names"
        )
    return Hook(plugin, name, function, arguments)


def _added(after: Hook, *given: Any) -> Any:
    """Call an `after`; return the result with the fields that it answers, or `TypeError`."""
    fields = after(dict(zip(_ARGUMENTS["after"], given, strict=True)))
    result = given[-1]
    kind: Any = type(result)
    if fields is None:
        return result
    is_dict = isinstance(result, dict)
    is_struct = isinstance(result, Struct) and not kind.__struct_config__.array_like
    if not is_dict and (not is_struct or kind in (Download, NoContent, Paged)):
        raise TypeError(f"fields are added to an object, and the result is a {kind.__name__}")
    there = result if is_dict else {*kind.__struct_fields__, *kind.__struct_encode_fields__}
    if taken := fields.keys() & there:
        raise TypeError(f"the answer has {', '.join(sorted(taken))} already")
    # Fields that cannot be encoded are the fault of this plugin, and not of the method.
    msgspec.json.encode(fields)
    if is_dict:
        return {**result, **fields}
    return _wider(kind, tuple(fields))(**msgspec.structs.asdict(result), **fields)


@functools.lru_cache
def _wider(kind: Any, names: tuple[str, ...]) -> Any:
    """Make a type with more fields: methods that invoke this one read its result as they did."""
    fields = [(name, Any, msgspec.field(name=name)) for name in names]
    return msgspec.defstruct(kind.__name__, fields, bases=(kind,), kw_only=True)
