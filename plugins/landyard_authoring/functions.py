"""Search in a plugin's source: handlers of methods and pages, and the functions they call."""

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct

from landyard_authoring.source import Module, Source

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Entry(Struct, frozen=True):
    """A handler in the source: of a method, with its declared options, or of a route.

    `options` are the keyword arguments of its decorator, such as `writes`; None for a route.
    """

    module: Module
    function: Function
    name: str
    options: Mapping[str, object] | None

    def declares(self, word: str, *, usual: bool = False) -> bool:
        return usual if self.options is None else bool(self.options.get(word, usual))


def entries(source: Source) -> Iterator[Entry]:
    """Yield the handlers of methods and routes, found by their decorators."""
    for module in source.modules:
        imports = imported_names(module)
        for node in ast.walk(module.tree):
            for mark in getattr(node, "decorator_list", ()):
                if not isinstance(node, ast.FunctionDef) or not isinstance(mark, ast.Call):
                    continue
                if isinstance(mark.func, ast.Attribute) and mark.func.attr == "method":
                    options = {each.arg: _plain(each.value) for each in mark.keywords if each.arg}
                    name = _plain(mark.args[0]) if mark.args else options.get("name")
                    yield Entry(module, node, str(name), options)
                elif dotted(mark.func, imports).startswith("litestar."):
                    yield Entry(module, node, f"the page of {node.name}", None)


def reached(entry: Entry, source: Source) -> Iterator[tuple[Module, Function]]:
    """Yield a handler and the plugin's functions that it calls by name, directly or not."""
    table = {
        (module.name, node.name): (module, node)
        for module in source.modules
        for node in module.tree.body
        if isinstance(node, Function)
    }
    waiting: list[tuple[Module, Function]] = [(entry.module, entry.function)]
    visited: set[int] = set()
    while waiting:
        module, function = waiting.pop()
        if id(function) in visited:
            continue
        visited.add(id(function))
        yield module, function
        imports = imported_names(module)
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                place, _, name = imports.get(node.id, f"{module.name}.{node.id}").rpartition(".")
                if (place, name) in table:
                    waiting.append(table[place, name])


def imported_names(module: Module) -> dict[str, str]:
    """Return the full names of a module's imports, e.g. `sleep`: `time.sleep`."""
    imports: dict[str, str] = {}
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=found):
                imports |= {each.asname or each.name: each.name for each in found}
            case ast.ImportFrom(module=str(origin), names=found):
                imports |= {each.asname or each.name: f"{origin}.{each.name}" for each in found}
    return imports


def dotted(node: ast.AST, imports: Mapping[str, str]) -> str:
    """Return the full dotted name of an expression, `t.sleep` as `time.sleep`; else ""."""
    if isinstance(node, ast.Name):
        return imports.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        before = dotted(node.value, imports)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _plain(node: ast.expr) -> object:
    """Return the value of a constant; any other expression counts as true."""
    return node.value if isinstance(node, ast.Constant) else True
