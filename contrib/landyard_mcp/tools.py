"""Describes methods as MCP tools for assistants, and chooses the tools that a caller may use."""

import hashlib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from mcp_types import Tool, ToolAnnotations
from msgspec import Struct

from landyard import ADMIN, Actor, Irreversible, Method
from landyard_describe import can_be_tried, parameters_schema

_LONGEST = 48  # characters; clients put the server's name before it, and take 64 in all
_ADDING = ("add", "clone", "copy", "create", "from")
_SETTING = ("change", "disable", "enable", "hide", "mark", "public", "set", "show", "un", "update")
_OPTIONS: Mapping[str, Any] = {
    "dry_run": {"type": "boolean", "description": "tell the `changes`, and keep none of them"},
    "idempotency_key": {
        "type": "string",
        "maxLength": 255,
        "description": "any text; a call that is repeated with the same one is done once",
    },
}
_TRIED = "Writes. Call it with `dry_run` first and look at `changes`; then call it without."
_UNTRIED = "Writes at once: it knows no `dry_run`."
_FOR_GOOD = "What it does cannot be undone."


class Choice(Struct, frozen=True):
    """The tools that a client's address asks for: patterns of methods instead of the usual ones.

    `read_only` leaves out methods that write.
    """

    methods: tuple[str, ...] = ()
    read_only: bool = False


class Offer(Struct, frozen=True):
    """A method with its description as an MCP tool."""

    method: Method
    tool: Tool


def tool_name(method: Method) -> str:
    """Return a method's tool name, such as `landing-block-getlist`; not all clients accept dots."""
    name = method.name.replace(".", "-")
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@lru_cache(maxsize=1)  # switching a plugin makes a new table of methods
def offers(methods: Iterable[Method]) -> dict[str, Offer]:
    """Describe each method as a tool, by the tool's name."""
    return {tool_name(each): Offer(each, _tool(each)) for each in methods}


def is_offered(method: Method, actor: Actor, choice: Choice, left_out: Iterable[str]) -> bool:
    """Tell whether a caller is offered a method: it has the scope, and `choice` includes it.

    A method in `left_out`, deprecated or for administrators is offered only if `choice` names it.
    """
    if method.scope and method.scope not in actor.scopes:
        return False
    if choice.read_only and method.writes:
        return False
    if choice.methods:
        return _matches(method, choice.methods)
    return not (method.scope == ADMIN or method.deprecated or _matches(method, left_out))


def _matches(method: Method, patterns: Iterable[str]) -> bool:
    name = method.name.lower()
    return any(fnmatchcase(name, each.strip().lower()) for each in patterns)


def _tool(method: Method) -> Tool:
    schema = parameters_schema(method)
    doc = method.doc
    if method.writes:
        tried = can_be_tried(method)
        options = {name: each for name, each in _OPTIONS.items() if tried or name != "dry_run"}
        schema["properties"] = {**options, **schema["properties"]}
        doc = f"{doc}\n\n{_TRIED if tried else _UNTRIED}"
        doc += f" {_FOR_GOOD}" if Irreversible in method.notes else ""
    verb = method.name.rpartition(".")[2].lower()
    adds = verb.startswith(_ADDING)
    hints = ToolAnnotations(
        title=method.name,
        read_only_hint=not method.writes,
        destructive_hint=method.writes and not adds,
        idempotent_hint=not method.writes or verb.startswith(_SETTING),
        open_world_hint=method.slow,
    )
    return Tool(
        name=tool_name(method),
        title=method.name,
        description=doc,
        input_schema=schema,
        annotations=hints,
    )
