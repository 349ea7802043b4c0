"""The source of a plugin: its files as syntax trees, and the search for lines in them."""

import ast
import importlib.util
import re
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from msgspec import Struct

from landyard.testing import Found

_WORD = re.compile(r"[A-Za-z_/][\w./-]*")
_LEAST = 4  # letters; shorter words are not searched


class Module(Struct, frozen=True):
    """A file of the plugin: its import name, its displayed path, and its syntax tree."""

    name: str
    shown: str
    tree: ast.Module

    def place(self, node: ast.AST) -> str:
        return f"{self.shown}:{getattr(node, 'lineno', 1)}"


class Source:
    """The files of the package, or of the one module, that a plugin's entry point names."""

    def __init__(self, value: str) -> None:
        """Read the files of `value`, such as `landyard_guests`; unparsable ones are left out."""
        self.package = value.partition(":")[0].partition(".")[0]
        self.folder, files = _files(self.package)
        self._shown = {str(path): str(path.relative_to(self.folder)) for path in files}
        self.modules = [each for path in files if (each := self._read(path)) is not None]

    def of_function(self, function: Callable[..., Any]) -> str:
        """Return the place where a function begins; "" for a function of another package."""
        code = getattr(getattr(function, "func", function), "__code__", None)
        if code is None or code.co_filename not in self._shown:
            return ""
        # The first line of a decorated function is that of the decorator.
        return f"{self._shown[code.co_filename]}:{code.co_firstlineno}"

    def of_error(self, error: BaseException | None) -> str:
        """Return the last place in the plugin on an error's traceback; "" if there is none."""
        place = ""
        while error is not None and not place:
            if isinstance(error, SyntaxError) and error.filename in self._shown:
                return f"{self._shown[error.filename]}:{error.lineno}"
            frame = error.__traceback__
            while frame is not None:
                shown = self._shown.get(frame.tb_frame.f_code.co_filename)
                place = f"{shown}:{frame.tb_lineno}" if shown else place
                frame = frame.tb_next
            error = error.__cause__ or error.__context__
        return place

    def of_text(self, text: str) -> str:
        """Return the place of the first function, class or string that a text mentions; else ""."""
        marks = dict(self._marks())
        words = [word.strip(".") for word in _WORD.findall(text)]
        found = (marks[word] for word in words if len(word) >= _LEAST and word in marks)
        return next(found, "")

    @property
    def start(self) -> str:
        """The first line of the module that the entry point names."""
        name = "__init__.py" if (self.folder / self.package).is_dir() else f"{self.package}.py"
        path = self.folder / self.package / name if name[0] == "_" else self.folder / name
        return f"{path.relative_to(self.folder)}:1"

    def _marks(self) -> Iterator[tuple[str, str]]:
        """Yield strings with their places, then definitions, which take precedence."""
        nodes = [(module, node) for module in self.modules for node in ast.walk(module.tree)]
        for module, node in reversed(nodes):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value, module.place(node)
        for module, node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name, module.place(node)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield node.targets[0].id, module.place(node)

    def _read(self, path: Path) -> Module | None:
        inside = path.relative_to(self.folder).with_suffix("")
        name = ".".join(inside.parts).removesuffix(".__init__")
        try:
            return Module(name, self._shown[str(path)], ast.parse(path.read_bytes()))
        except (SyntaxError, ValueError):  # reported when it is imported
            return None


def _files(package: str) -> tuple[Path, list[Path]]:
    """Return the folder that contains a package or module, and its files."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        return Path(), []
    origin = Path(spec.origin)
    if spec.submodule_search_locations is None:
        return origin.parent, [origin]
    return origin.parent.parent, sorted(origin.parent.rglob("*.py"))


def metadata_place(file: str, plugin: Found) -> str:
    """Return the line in a distribution's metadata: of the entry point, or of the requirement."""
    prefix = f"{plugin.name} =" if file == "entry_points.txt" else "Requires-Dist: landyard"
    lines = (distribution(plugin.distribution).read_text(file) or "").splitlines()
    number = next((at for at, line in enumerate(lines, 1) if line.startswith(prefix)), 1)
    return f"{plugin.distribution}/{file}:{number}"
