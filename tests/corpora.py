"""Test data in JSON files beside the modules that use it: hostile texts, tables of cases,
worlds.
"""

from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def read_data(module: str, name: str, of: type[T]) -> T:
    """Read a name from the JSON file beside the module whose `__file__` is passed."""
    return msgspec.convert(_file(module)[name], of)


def read_cases(module: str, name: str, of: type[T]) -> list[T]:
    """Read a table of cases, in sections under headings: `{heading: [case, …], …}`."""
    sections = read_data(module, name, dict[str, list[object]])
    return [msgspec.convert(case, of) for section in sections.values() for case in section]


def _file(module: str) -> dict[str, object]:
    content = Path(module).with_suffix(".json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, object])
