"""Writes `rules.md`: each rule with its sentence, the code that keeps it, and its tests.

The sentences are in `tests/contract/rules.json`. Code keeps a rule where a docstring or a comment
names it; a test proves a rule where `@pytest.mark.rule` names it.
"""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "rules.md"
REGISTER = ROOT / "tests" / "contract" / "rules.json"
CODE = ("kernel", "plugins", "contrib")

_NAME = re.compile(r"\b[BCHPRU]\d+[a-z]?\b")
_TITLE = """# Rules

Written by `make docs`; `make check` fails when it is stale, or when a rule has no code or no test.

A rule has a letter and a number: C is a call, R rights, B blocks, H HTML for visitors, P pages
and U uploads. Docstrings and tests cite rules by these names. The rules of single methods
(parameters, answers, codes) are in [reference.md](reference.md), named in
`tests/contract/rules.py`.
"""

Places = dict[str, list[str]]


def rules() -> str:
    """Write the document; raises `LookupError` for a rule that has no code or no test."""
    sentences = msgspec.json.decode(REGISTER.read_bytes())["DECISIONS"]
    kept, proven = code_places(), test_places()
    missing = [
        f"{name} has no {what}"
        for name in sentences
        for what, found in (("code", kept), ("test", proven))
        if name not in found
    ]
    if missing:
        raise LookupError("; ".join(missing))
    parts = [_TITLE]
    for name, sentence in sentences.items():
        parts.append(
            f"## {name}\n\n{sentence}\n\n"
            f"Kept by: {_listed(kept[name])}\n\nProven by: {_listed(proven[name])}\n"
        )
    return "\n".join(parts)


def code_places() -> Places:
    """Find the functions, classes and modules that name each rule, as `module.name`."""
    places: Places = defaultdict(list)
    for folder in CODE:
        for file in sorted((ROOT / folder).rglob("*.py")):
            module = ".".join(file.relative_to(ROOT / folder).with_suffix("").parts)
            _note(places, _cited(file.read_text(), module.removesuffix(".__init__")))
    return places


def test_places() -> Places:
    """Find the test files that name each rule, as paths below `tests`."""
    places: Places = defaultdict(list)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        where = file.relative_to(ROOT / "tests").as_posix()
        _note(places, ((name, where) for name in _marked(ast.parse(file.read_text()))))
    return places


def _note(places: Places, found: Iterable[tuple[str, str]]) -> None:
    for name, where in found:
        if where not in places[name]:
            places[name].append(where)


def _cited(source: str, module: str) -> Iterator[tuple[str, str]]:
    """Yield each rule in docstrings and comments, with the innermost definition around it."""
    tree = ast.parse(source)
    spans = [
        (node.lineno, node.end_lineno or node.lineno, node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    for line, text in _prose(source, tree):
        around = [name for first, last, name in spans if first <= line <= last]
        for name in _NAME.findall(text):
            yield name, ".".join([module, *around[-1:]])
        if "`methods`" in text and module.startswith("landyard_"):
            yield "methods", module


def _prose(source: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and "noqa" not in token.string:
            yield token.start[0], token.string


def _marked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="rule"), args=args):
                yield from (str(each.value) for each in args if isinstance(each, ast.Constant))


def _listed(places: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in places)
