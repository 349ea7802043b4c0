"""The tables of changes: the history of drafts' edits, and the public version."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    String,
    Table,
)

from landyard import METADATA, Moment

HISTORY = Table(
    "landing_history",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column(
        "page_id",
        Integer,
        ForeignKey("landing_page.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("block_id", Integer, nullable=False),
    Column("user_id", Integer, nullable=False),
    Column("at", Moment, nullable=False),
    Column("method", String, nullable=False),
    Column("before", JSON, nullable=False),
    Column("after", JSON, nullable=False),
    Column("undone", Boolean, nullable=False, default=False),
    Column("discarded", Boolean, nullable=False, default=False),
).c
"""One edit of a page's draft: user, moment, method, and the values before and after (B14).

For long HTML `after` has only the changed part (`blocks/history.py`). `undone` while the edit is
undone; `discarded` where it can no longer be redone, since a newer edit was made meanwhile.
"""


PUBLIC_VERSION = Table(
    "landing_public",
    METADATA,
    Column("id", Integer, primary_key=True, default=1),
    Column("version", BigInteger, nullable=False, default=0),
).c
"""One row, whose `version` changes with every change that visitors can see.

Database triggers write it. There is no row before the first change.
"""


def whole(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values that an edit wrote, from what an entry keeps of them.

    Of long HTML that is `{"splice": [first, last, text]}`: the text stands between so many first
    and last characters of what it was before.
    """
    kept = after.get("content")
    if not isinstance(kept, dict):
        return after
    was = before["content"]
    first, last, text = kept["splice"]
    return {**after, "content": f"{was[:first]}{text}{was[len(was) - last :]}"}
