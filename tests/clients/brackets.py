"""Parameters as PHP writes them: keys in brackets, true and false as 1 and 0."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

Fields = list[tuple[str, str]]


def fields(params: Mapping[str, Any]) -> Fields:
    """Write parameters as fields: `{"fields": {"TITLE": "x"}}` is `[("fields[TITLE]", "x")]`."""
    return [field for name, value in params.items() for field in _field(name, value)]


def query(params: Mapping[str, Any]) -> str:
    """Write parameters as a query string, percent-encoded."""
    return urlencode(fields(params))


def _field(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _field(f"{name}[{key}]", each)
    else:
        yield name, str(int(value) if isinstance(value, bool) else value)
