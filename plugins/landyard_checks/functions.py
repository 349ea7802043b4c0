"""The functions of a plugin's source that a method, a page or a job comes to."""

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct

from landyard_checks.source import Module, Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
_ROUTES = {"delete", "get", "head", "patch", "post", "put", "route"}


class Entry(Struct, frozen=True):
    """A function that Landyard calls: a method's handler with what it declares, or a route's.

    `said` is what its decorator says in plain words, such as `writes`; None for a route.
    """

    module: Module
    function: Function
    name: str
    said: Mapping[str, object] | None

    def declares(self, word: str, *, usual: bool = False) -> bool:
        return usual if self.said is None else bool(self.said.get(word, usual))


def entries(source: Source) -> Iterator[Entry]:
    """Find the handlers of methods, and of routes, by their decorators."""
    for module in source.modules:
        for node in ast.walk(module.tree):
            for mark in getattr(node, "decorator_list", ()):
                if not isinstance(node, ast.FunctionDef) or not isinstance(mark, ast.Call):
                    continue
                match mark.func:
                    case ast.Attribute(attr="method"):
                        said = {each.arg: _plain(each.value) for each in mark.keywords if each.arg}
                        name = _plain(mark.args[0]) if mark.args else said.get("name")
                        yield Entry(module, node, str(name), said)
                    case ast.Name(id=name) | ast.Attribute(attr=name) if name in _ROUTES:
                        yield Entry(module, node, f"the page of {node.name}", None)


def reached(entry: Entry, source: Source) -> Iterator[tuple[Module, Function]]:
    """Go through a function and those of the plugin that it calls by their names."""
    table = {
        (module.name, node.name): (module, node)
        for module in source.modules
        for node in module.tree.body
        if isinstance(node, Function)
    }
    waiting: list[tuple[Module, Function]] = [(entry.module, entry.function)]
    met: set[int] = set()
    while waiting:
        module, function = waiting.pop()
        if id(function) in met:
            continue
        met.add(id(function))
        yield module, function
        meant = names(module)
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                place, _, name = meant.get(node.id, f"{module.name}.{node.id}").rpartition(".")
                if (place, name) in table:
                    waiting.append(table[place, name])


def names(module: Module) -> dict[str, str]:
    """Say what a module's imported names stand for, e.g. `sleep`: `time.sleep`."""
    meant: dict[str, str] = {}
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=found):
                meant |= {each.asname or each.name: each.name for each in found}
            case ast.ImportFrom(module=str(origin), names=found):
                meant |= {each.asname or each.name: f"{origin}.{each.name}" for each in found}
    return meant


def dotted(node: ast.AST, meant: Mapping[str, str]) -> str:
    """Write an expression out as a dotted name: `t.sleep` is `time.sleep`; nothing for others."""
    if isinstance(node, ast.Name):
        return meant.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        before = dotted(node.value, meant)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _plain(node: ast.expr) -> object:
    """Read what is written out; what is worked out counts as said."""
    return node.value if isinstance(node, ast.Constant) else True
