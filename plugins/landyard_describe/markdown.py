"""Markdown tables of parameters and codes, for the reference and `landyard methods show`."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Struct

from landyard_describe.error_codes import Code
from landyard_describe.parameters import Parameter, nested_parameters


def parameters_table(struct: type[Struct]) -> str:
    """Return a table of a Struct's parameters, including nested ones."""
    rows = [
        (_named(name, each), each.words, "yes" if each.required else "", _meaning(each))
        for name, each in nested_parameters(struct)
    ]
    return _table("parameter", "type", "required", "what it is", rows=rows)


def codes_table(codes: Iterable[Code]) -> str:
    """Return a table of error codes."""
    rows = [(f"`{each.code}`", str(each.status), each.text) for each in codes]
    return _table("code", "status", "when", rows=rows)


def as_json(value: object) -> str:
    """Return an example's value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _named(name: str, parameter: Parameter) -> str:
    """Return a parameter's name, and the Struct's field if it differs, for plugins that read it."""
    return f"`{name}`{f' (in Python `{parameter.field}`)' if parameter.field else ''}"


def _meaning(parameter: Parameter) -> str:
    if parameter.default is UNSET or parameter.default in ("", {}, []):
        return parameter.text
    default = f"default `{msgspec.json.encode(parameter.default).decode()}`"
    return f"{parameter.text}; {default}" if parameter.text else default


def _table(*columns: str, rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
