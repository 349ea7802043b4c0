"""Keeps uploaded files that texts outside of pages mention, and releases them again (U7).

A released file becomes temporary: it is removed later, unless something uses it by then.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import select, update

from landyard import Call, Prepared, one_of
from landyard_content.files.records import KEPT, mentioned_files
from landyard_landing.tables import FILE

_NOWHERE = -1  # in place of a page's id: the file is removed with the last page that uses it
# In the order of keys, as all calls lock files.
_LOCK = Prepared(
    select(FILE.key).where(one_of(FILE.key, "keys")).order_by(FILE.key).with_for_update()
)
_OF_KEYS = update(FILE.id.table).where(one_of(FILE.key, "keys"))
_KEEP, _LET_GO = Prepared(_OF_KEYS), Prepared(_OF_KEYS.where(FILE.page_id == KEPT))


def keep_files(call: Call, text: str) -> None:
    """Keep the files that a text outside of pages mentions, until `release_files` releases them."""
    _keep(call, mentioned_files(text), page_id=KEPT, temporary=False)


def release_files(call: Call, text: str, *, others: Iterable[str]) -> None:
    """Release the files that a kept text mentions, except files that the texts `others` mention."""
    keys = mentioned_files(text)
    for other in others if keys else ():
        keys -= mentioned_files(other)
    _keep(call, keys, page_id=_NOWHERE, temporary=True, created_at=call.now())


def _keep(call: Call, keys: set[str], **values: Any) -> None:
    if keys:
        _LOCK.all(call.connection, keys=list(keys))
        (_LET_GO if values["temporary"] else _KEEP).run(call.connection, keys=list(keys), **values)
