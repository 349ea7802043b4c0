"""Checks of a plugin's declarations: its hooks and methods."""

import ast
import re
from collections.abc import Iterator
from typing import Any, get_type_hints

import msgspec

from landyard import Method
from landyard.testing import misfit
from landyard_authoring.findings import Finding, failure, warning
from landyard_authoring.subject import Subject

_MAY_BE_NONE = {"register_hooks", "register_meter"}


def hooks(subject: Subject) -> Iterator[Finding]:
    """Find hooks that are not marked or return nothing."""
    module = subject.contribution.plugin.module
    specified = {name for name in vars(subject.contribution.asked.hook) if not name.startswith("_")}
    answered = {name for name in dir(module) if _is_hook(getattr(module, name, None))}
    if not answered and not hasattr(module, "__all__"):  # a library for others needs no hook
        place = subject.source.start
        yield failure("it answers no hook: mark its functions with @landyard.hookimpl", place)
    for name in sorted(specified - answered):
        if callable(function := getattr(module, name, None)):
            place = subject.source.of_function(function)
            yield failure(f"{name} is never called: mark it with @landyard.hookimpl", place)
    for each in subject.source.modules:
        for node in ast.walk(each.tree):
            if not isinstance(node, ast.FunctionDef) or node.name not in answered - _MAY_BE_NONE:
                continue
            if node.name.startswith("register_") and not _answers(node):
                yield failure(
                    f"{node.name} answers nothing: return what it brings", each.place(node)
                )


def methods(subject: Subject) -> Iterator[Finding]:
    """Check that each method declares its result type, and that its example fits the type."""
    for method in subject.methods:
        place = subject.source.of_function(method.handler)
        where = subject.source.of_text(method.params.__name__) or place
        yield from _parameters(method, where)
        yield from _texts(method.params, where)
        if method.result is Any:
            yield failure(f"{method.name}: say what its handler returns: `-> list[str]`", place)
        elif method.example is None:
            reason = "it has no example that could be tried: example=Example(params={…}, result=…)"
            yield warning(f"{method.name}: {reason}", place)
        elif wrong := misfit(method.example.result, method.result):
            reason = f"its example's result is not what it returns: {wrong}"
            yield failure(f"{method.name}: {reason}", place)


def _parameters(method: Method, place: str) -> Iterator[Finding]:
    """Find constraints that no value satisfies, and defaults that would be refused."""
    hints = get_type_hints(method.params, include_extras=True)
    for field in msgspec.structs.fields(method.params):
        where = f"{method.name}: {field.name}"
        kind = _type_info(hints[field.name])
        for least, most in (("ge", "le"), ("min_length", "max_length")):
            low, high = getattr(kind, least, None), getattr(kind, most, None)
            if low is not None and high is not None and low > high:
                reason = f"no value keeps {least}={low} and {most}={high}: correct its Meta"
                yield failure(f"{where}: {reason}", place)
                break
        else:
            if wrong := _refused(field.default, hints[field.name]):
                yield failure(f"{where}: its default is none that may be sent: {wrong}", place)


def _type_info(hint: Any) -> Any:
    """Return msgspec's description of a type; None for a decimal with limits, which it lacks."""
    try:
        return msgspec.inspect.type_info(hint)
    except TypeError:
        return None


def _texts(params: type[msgspec.Struct], place: str) -> Iterator[Finding]:
    """Find a docstring that describes no parameter in the published form."""
    names = [each.encode_name for each in msgspec.structs.fields(params)]
    docstring = params.__doc__ or ""
    described = re.findall(r"`([^`]+)`(?=(?:(?:, | and )`[^`]+`)*:)", docstring)
    # A Struct without a docstring has none, so there is nothing to check.
    if names and docstring.strip() and not set(names) & set(described):
        wanted = f"`{names[0]}`: what it is"
        yield warning(
            f"{params.__name__}: its docstring describes no parameter: write “{wanted}; …” or"
            " leave it out",
            place,
        )


def _refused(default: Any, kind: Any) -> str:
    """Return why a default value would be refused if it were sent; "" if it would not be."""
    if default is msgspec.NODEFAULT:
        return ""
    try:
        msgspec.convert(default, kind, from_attributes=True)
    except (msgspec.ValidationError, TypeError) as error:
        # An UNSET or a value of a custom type is never sent.
        return str(error) if isinstance(default, str | int | float | list | dict) else ""
    return ""


def _is_hook(function: Any) -> bool:
    return getattr(function, "landyard_impl", None) is not None


def _answers(function: ast.FunctionDef) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Raise):
            return True
    return False
