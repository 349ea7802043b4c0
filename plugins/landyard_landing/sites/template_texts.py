"""Texts for search engines that a page has from its template, and when visitors see them.

The texts describe the template. They are shown as long as none of them was changed. A page with a
title or text of its own shows none that is still the template's.
"""

from collections.abc import Mapping
from typing import Any

TITLES = ("METAOG_TITLE", "METAMAIN_TITLE")
"""The additional fields with a page's titles for search engines."""
DESCRIPTIONS = ("METAOG_DESCRIPTION", "METAMAIN_DESCRIPTION")
"""The additional fields with a page's descriptions for search engines."""


def shown_fields(
    title: str, description: str, additional: Mapping[str, Any], kept: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a page's additional fields and DESCRIPTION, as visitors see them.

    `kept` are the page's `template_fields`.
    """
    fields = {**additional, "DESCRIPTION": description}
    if all((fields | {"TITLE": title}).get(name) == text for name, text in kept.items()):
        return fields
    return {name: each for name, each in fields.items() if name not in kept or each != kept[name]}
