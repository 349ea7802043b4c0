"""The Python reference: every public name with its signature and its docstring, as Markdown."""

import ast
import importlib
import inspect
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import msgspec

TARGET = Path(__file__).parent / "python.md"
MODULES = (
    "landyard",
    "landyard.testing",
    "landyard_content.history",
    "landyard_content.pages",
    "landyard_content.blocks",
    "landyard_content.files",
    "landyard_landing.sites",
    "landyard_landing.rights",
    "landyard_landing.events",
    "landyard_landing.errors",
    "landyard_html.node_types",
    "landyard_public.forwarding",
    "landyard_public.page_writers",
    "landyard_public.themes",
    "landyard_events",
    "landyard_outgoing",
    "landyard_signin",
    "landyard_feed",
    "landyard_forms",
)

_HEAD = """# Python reference

Written by `make docs` from the code; `make check` fails when it is stale.

What a plugin may import: `landyard`; for its tests `landyard.testing`; and the top
modules of each plugin that its `requires` names. Deeper modules are insides and change without
notice."""
_PATH = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z]|date|time)")  # known without its module
_OWN = ("__init__", "__call__")


def python_reference() -> str:
    """Write the reference of all public modules."""
    return "\n\n".join([_HEAD, *(part for name in MODULES for part in _module(name))]) + "\n"


def public_names(module: ModuleType) -> list[str]:
    """List the public names of a module: its `__all__`, or its own functions and classes."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed, key=str.lower)
    return sorted(
        name
        for name, each in vars(module).items()
        if not name.startswith("_") and getattr(each, "__module__", "") == module.__name__
    )


def _module(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"## `{name}`"
    yield (inspect.getdoc(module) or "").partition("\n")[0]
    for each in public_names(module):
        yield from _name(module, each, getattr(module, each))


def _name(module: ModuleType, name: str, value: Any) -> Iterator[str]:
    yield f"### `{name}`"
    if inspect.isclass(value):
        yield from _class(name, value)
    elif inspect.isroutine(value):
        yield _signature(name, value)
        yield inspect.getdoc(value) or ""
    elif isinstance(value, ModuleType):
        yield (inspect.getdoc(value) or "").partition("\n")[0]
    else:
        yield _text_below(_source(module, name), name)
        shown = _PATH.sub("", repr(_As(value))).replace("'", '"')  # as the formatter quotes
        if shown != "…":
            yield f"```python\n{name} = {shown}\n```"


def _source(module: ModuleType, name: str) -> ast.Module:
    """Parse the module that defines a name."""
    tree = ast.parse(inspect.getsource(module))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
            return _source(importlib.import_module(node.module or ""), name)
    return tree


def _text_below(tree: ast.Module, name: str) -> str:
    """Find the string below an assignment: the documentation of a constant."""
    for assigned, below in itertools.pairwise(tree.body):
        match assigned, below:
            case (
                ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)),
                ast.Expr(ast.Constant(str() as text)),
            ):
                if found == name:
                    return inspect.cleandoc(text)
    return ""


def _class(name: str, kind: type) -> Iterator[str]:
    if Protocol not in kind.__bases__:  # nobody makes one
        yield _signature(name, kind)
    yield inspect.getdoc(kind) or ""
    for member, value in vars(kind).items():
        of_data = issubclass(kind, msgspec.Struct) and member in kind.__struct_fields__
        if (member.startswith("_") and member not in _OWN) or of_data:
            continue
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        text = inspect.getdoc(function) if inspect.isroutine(function) else None
        if text and member != "__init__":
            call = member if isinstance(value, property) else _arguments(member, function)
            yield f"- `{call}`: {' '.join(text.split())}"


def _signature(name: str, value: Any) -> str:
    text = _arguments(name, value)
    if len(text) > 90:  # one argument a line, as a formatter would
        inside, _, answer = text[len(name) + 1 :].rpartition(")")
        lines = "".join(f"    {each},\n" for each in _split(inside))
        text = f"{name}(\n{lines}){answer}"
    return f"```python\n{text}\n```"


def _arguments(name: str, value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, msgspec.Struct):
        return f"{name}({', '.join(_fields(value))})"
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # an enumeration, or a function of C
        return name
    kept = [
        each if each.default is inspect.Parameter.empty else each.replace(default=_As(each.default))
        for each in signature.parameters.values()
        if each.name not in {"self", "cls"}
    ]
    text = str(signature.replace(parameters=kept)).replace(" -> None", "")
    return f"{name}{_plain(text)}"


def _fields(kind: type[msgspec.Struct]) -> Iterator[str]:
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        hints |= vars(base).get("__annotations__", {})
    required = len(kind.__struct_fields__) - len(kind.__struct_defaults__)
    for at, field in enumerate(kind.__struct_fields__):
        hint = _plain(f": {inspect.formatannotation(hints[field])}")
        default = kind.__struct_defaults__[at - required] if at >= required else msgspec.NODEFAULT
        shown = "" if default is msgspec.NODEFAULT else f" = {_As(default)!r}"
        yield f"{field}{hint}{shown}"


def _plain(text: str) -> str:
    """Write a signature without modules, quoted types and type variables' marks."""
    text = re.sub(r"(?<=[:>] )'([^']+)'", r"\1", text)
    text = re.sub(r"<class '(?:.+\.)?(\w+)'>", r"\1", text)
    return _PATH.sub("", re.sub(r"~_?(?=[A-Z])|\b_(?=[A-Z]\b)", "", text))


def _split(inside: str) -> Iterator[str]:
    """Split arguments at the commas outside of brackets."""
    depth, start = 0, 0
    for at, letter in enumerate(inside):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            yield inside[start:at].strip()
            start = at + 1
    yield inside[start:].strip()


class _As:
    """A default as shown; `…` for a long one, or one without a literal form."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        text = repr(self._value)
        if isinstance(self._value, frozenset):  # its order differs each time
            text = f"frozenset({{{', '.join(sorted(map(repr, self._value)))}}})"
        if '"' not in text:
            text = text.replace("'", '"')  # as the formatter has it
        return text if len(text) < 80 and "<" not in text else "…"
