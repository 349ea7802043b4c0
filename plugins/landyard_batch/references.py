"""References: `$result[key][field][0]` in a command is what an earlier one answered."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

# Possessive quantifiers: without them the engine would keep a way back for every bracket.
_REFERENCE = re.compile(r"(\\?)(\$result((?:\[[^\[\]]*+\])++))")
_PART = re.compile(r"\[([^\[\]]*+)\]")

Find = Callable[[str], Any]
Lost = Callable[[str], object]


def refer(value: Any, find: Find, lost: Lost) -> Any:
    """Put what earlier commands answered in place of the references in parameters.

    `find` answers the result of a command by its key, None where there is none. A text that is one
    reference becomes what it names, of any type. Inside of a longer text a number or text is put
    in; what is not there, and what is an array or object, is nothing, and `lost` is told. A
    reference with a backslash before it is a text without that.
    """
    if isinstance(value, str):
        return _refer_text(value, find, lost) if "$result[" in value else value
    if isinstance(value, list):
        return [refer(each, find, lost) for each in value]
    if isinstance(value, Mapping):
        return {key: refer(each, find, lost) for key, each in value.items()}
    return value


def _refer_text(text: str, find: Find, lost: Lost) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole is not None and not whole[1]:
        found = _named(whole[3], find)
        if found is None:
            lost(text)
        return found

    def put_in(reference: re.Match[str]) -> str:
        if reference[1]:
            return reference[2]
        written = _written(_named(reference[3], find))
        if written is None:
            lost(reference[2])
        return written or ""

    return _REFERENCE.sub(put_in, text)


def _named(path: str, find: Find) -> Any:
    first, *rest = (unquote(part).strip("'\"") for part in _PART.findall(path))
    found = find(first)
    for part in rest:
        if isinstance(found, list):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return found


def _written(found: Any) -> str | None:
    if isinstance(found, str):
        return found
    return msgspec.json.encode(found).decode() if isinstance(found, int | float) else None
