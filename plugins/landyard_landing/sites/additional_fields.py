"""Merges additional fields of pages and sites, by key, and leaves out the empty ones (P4)."""

from collections.abc import Mapping
from typing import Any

from landyard import as_list


def merge_additional(stored: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Merge additional fields by key: an empty text clears a field, null leaves it (P4).

    The types of values stay as sent.
    """
    new = {name: as_list(value) for name, value in sent.items() if value is not None}
    cleared = {name for name, value in new.items() if value == ""}
    return {name: value for name, value in {**stored, **new}.items() if name not in cleared}


def filled_additional(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the additional fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in ("", None)}
