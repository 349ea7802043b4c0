"""References: `$result[key][field][0]` in a command is what an earlier one answered."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

# Possessive quantifiers: without them the engine would keep a way back for every bracket.
_REFERENCE = re.compile(r"\$result((?:\[[^\[\]]*+\])++)")
_PART = re.compile(r"\[([^\[\]]*+)\]")

Find = Callable[[str], Any]


def refer(value: Any, find: Find) -> Any:
    """Put what earlier commands answered in place of the references in parameters.

    `find` answers the result of a command by its key, None where there is none. A text that is one
    reference becomes what it names, of any type. Inside of a longer text a number or text is put
    in; what is not there, and what is an array or object, is nothing.
    """
    if isinstance(value, str):
        return _refer_text(value, find) if "$result[" in value else value
    if isinstance(value, list):
        return [refer(each, find) for each in value]
    if isinstance(value, Mapping):
        return {key: refer(each, find) for key, each in value.items()}
    return value


def _refer_text(text: str, find: Find) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole is not None:
        return _named(whole[1], find)
    return _REFERENCE.sub(lambda reference: _written(_named(reference[1], find)), text)


def _named(path: str, find: Find) -> Any:
    first, *rest = (unquote(part).strip("'\"") for part in _PART.findall(path))
    found = find(first)
    for part in rest:
        if isinstance(found, list):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return found


def _written(found: Any) -> str:
    if isinstance(found, str):
        return found
    number = isinstance(found, int | float)
    return msgspec.json.encode(found).decode() if number else ""
