"""Keeps the translations of a page linked when their original is removed."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select, update

from landyard import Prepared, one_of
from landyard_landing.tables import PAGE

_LEFT = Prepared(
    select(PAGE.original_id, PAGE.id)
    .where(one_of(PAGE.original_id, "page_ids"), ~one_of(PAGE.id, "page_ids"))
    .order_by(PAGE.id)
    .with_for_update(key_share=True)
)
_NAME_ANOTHER = Prepared(
    update(PAGE.id.table)
    .where(one_of(PAGE.id, "page_ids"))
    .values(original_id=bindparam("original"))
)


def leave_translations(connection: Connection, page_ids: Sequence[int]) -> None:
    """Keep the translations of removed originals linked: all name the first of them as original.

    The first names itself as well, which marks that it is no original: the list of translations
    then has no `x-default`.
    """
    groups: dict[int, list[int]] = {}
    for original_id, page_id in _LEFT.all(connection, page_ids=list(page_ids)):
        groups.setdefault(original_id, []).append(page_id)
    for left in groups.values():
        _NAME_ANOTHER.run(connection, page_ids=left, original=left[0])
