"""Texts for search engines that a page has from its template, and when visitors see them.

The texts describe the template. They are shown as long as none of them was changed. A page with a
title or text of its own shows none that is still the template's.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from landyard import Prepared, one_of
from landyard_landing.tables import PAGE

TITLES = ("METAOG_TITLE", "METAMAIN_TITLE")
DESCRIPTIONS = ("METAOG_DESCRIPTION", "METAMAIN_DESCRIPTION")
_TEXTS = (*TITLES, *DESCRIPTIONS, "METAMAIN_KEYWORDS")

_READ = Prepared(
    select(
        PAGE.id, PAGE.title, PAGE.description, PAGE.additional_fields, PAGE.template_fields
    ).where(one_of(PAGE.id, "page_ids"))
)


def of_template(
    title: str | None, description: str, additional: Mapping[str, Any]
) -> dict[str, Any]:
    """Collect the texts that a new page has from its template, to be stored as `template_fields`.

    `title` is the template's; None where the page must show none of the template's texts.
    """
    own = {"TITLE": title, **({"DESCRIPTION": description} if description else {})}
    return own | {name: additional[name] for name in _TEXTS if name in additional}


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


def read_shown_texts(connection: Connection, page_ids: Iterable[int]) -> dict[int, dict[str, str]]:
    """Read pages' texts for search engines, by page id and field; "" where none is shown."""
    return {
        page_id: {name: _text(fields.get(name)) for name in (*TITLES, *DESCRIPTIONS)}
        for page_id, *page in _READ.all(connection, page_ids=list(page_ids))
        for fields in [shown_fields(*page)]
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
