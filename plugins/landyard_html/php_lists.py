"""Reads lists as PHP clients send them, as objects whose keys are integers (C7)."""

import re
from collections.abc import Mapping
from typing import Any

_INTEGER_KEY = re.compile(r"0|-?[1-9][0-9]{0,17}")


def as_list(value: Any) -> Any:
    """Return an object whose keys are all integers as the list that PHP clients mean (C7)."""
    if isinstance(value, Mapping) and value and all(map(_INTEGER_KEY.fullmatch, value)):
        return [value[key] for key in sorted(value, key=int)]
    return value
