"""Libraries are used by their public names: no attribute, module or inherited member is private."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / each for each in ("kernel", "plugins", "contrib")]
DOCUMENTED = {"_asdict", "_current_frames", "_exit", "_replace"}
"""Names with an underscore in Python's documentation: of named tuples, `os` and `sys`."""
OWN = re.compile(r"landyard(_\w+)?(\.|$)")
FOREIGN = """
import os
from sqlalchemy.engine import Connection
class Lent(Connection):
    def end(self):
        self._own = os._exit
        self._dbapi_connection = None
        return getattr(self.engine, "_has_events"), self.engine._has_events
"""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in folder.rglob("*.py"):
            if "vendoring" not in path.parts and "migrations" not in path.parts:
                yield path


def own_names(trees: list[ast.AST]) -> set[str]:
    """List the private names that these modules define, as functions or as attributes."""
    names: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                names.add(name)
            case ast.Name(name, ast.Store()) | ast.Attribute(ast.Name("self"), name, ast.Store()):
                names.add(name)
    return {name for name in names if is_private(name)}


def named(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the private names that a module takes of objects other than its own `self`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("self" | "cls"), _):
                continue
            case ast.Attribute(_, name):
                found = [name]
            case ast.Call(ast.Name("getattr" | "setattr"), [_, ast.Constant(str(name)), *_]):
                found = [name]
            case ast.ImportFrom(str(module), names, 0) if not OWN.match(module):
                found = [*module.split("."), *(each.name for each in names)]
            case ast.Import(names):
                found = [part for each in names for part in each.name.split(".")]
            case _:
                continue
        yield from ((node.lineno, name) for name in found if is_private(name))


def inherited(module: object) -> Iterator[tuple[str, str]]:
    """Yield the private names that classes of a module take of the libraries that they extend."""
    for kind in vars(module).values():
        if not inspect.isclass(kind) or kind.__module__ != getattr(module, "__name__", None):
            continue
        bases = [each for each in kind.__mro__ if not OWN.match(each.__module__)]
        foreign = {
            name
            for base in bases
            for name in (*vars(base), *getattr(base, "__annotations__", ()))
            if is_private(name) and not name.startswith(f"_{base.__name__}__")
        }
        if foreign:
            for node in ast.walk(ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind)))):
                match node:
                    case ast.Attribute(ast.Name("self" | "cls"), name) if name in foreign:
                        yield kind.__name__, name
                    case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) if name in foreign:
                        yield kind.__name__, name


def module_of(path: Path) -> str:
    folder = next(each for each in FOLDERS if path.is_relative_to(each))
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_private_name_of_a_library_is_used() -> None:
    trees = {path: ast.parse(path.read_text()) for path in sources()}
    allowed = own_names(list(trees.values())) | DOCUMENTED

    used = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, tree in trees.items()
        for line, name in named(tree)
        if name not in allowed
    ]

    assert used == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_class_uses_a_private_member_of_a_library_that_it_inherits(folder: Path) -> None:
    modules = [module_of(path) for path in sources() if path.is_relative_to(folder)]
    ours = [name for name in modules if OWN.match(name) and "landyard_example" not in name]

    used = [
        f"{name}: {kind}.{member}"
        for name in ours
        for kind, member in inherited(importlib.import_module(name))
    ]

    assert ours
    assert used == []


def test_private_names_of_libraries_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "landyard_lent.py").write_text(FOREIGN)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("landyard_lent")

    assert [name for _, name in named(ast.parse(FOREIGN))] == [
        "_exit", "_has_events", "_has_events",
    ]  # fmt: skip
    assert list(inherited(module)) == [("Lent", "_dbapi_connection")]
