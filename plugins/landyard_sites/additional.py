"""Additional fields of a site: settings of its looks and of services, by their codes."""

from collections.abc import Mapping
from typing import Any


def merged(stored: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Merge additional fields by key: an empty text clears one, null leaves it (P4).

    Their values may be lists and objects as well, as those of the platform are.
    """
    given = {name: value for name, value in sent.items() if value is not None}
    return told({**stored, **given})


def told(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return those that are not empty."""
    return {name: value for name, value in fields.items() if value not in ("", None)}
