"""Translates the labels in a block's HTML, and writes a language as an Open Graph locale."""

from collections.abc import Mapping
from html import escape

from landyard_content.words import word_files

_LABELS = ("aria-label", "data-open", "data-close")


def with_labels(content: str, labels: Mapping[str, str]) -> str:
    """Translate the labels in a block's HTML that are still English."""
    for english, own in labels.items():
        if own != english:
            for name in _LABELS:
                content = content.replace(f'{name}="{english}"', f'{name}="{escape(own)}"')
    return content


def open_graph_locale(language: str) -> str:
    """Write a language tag as a locale of Open Graph, `pt_BR`; "" for an unknown country."""
    main, *rest = language.split("-")
    country = next((part for part in rest if len(part) == 2), "")
    if country:
        return f"{main}_{country}"
    return word_files()[main].locale if main in word_files() else ""
