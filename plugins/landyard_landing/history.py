"""The history of a page: one entry for each edit of its draft (B14)."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from sqlalchemy import insert

from landyard import Call
from landyard_landing.tables import HistoryEntry

Params = dict[str, dict[str, object]]

_RECORD = insert(HistoryEntry.__table__)  # type: ignore[attr-defined]


class Draft(Struct, frozen=True):
    """A draft block under the hands of a call; its row is locked until the call ends.

    `digest` is that of its manifest, see `read_types`.
    """

    id: int
    page_id: int
    code: str
    content: str
    params: Params
    digest: str | None


def record(call: Call, before: Draft, after: Mapping[str, object], at: datetime) -> None:
    """Enter what an edit changed of a draft: who, when, by which method, from what, to what."""
    changed = [name for name, value in after.items() if value != getattr(before, name)]
    call.connection.execute(
        _RECORD,
        {
            "page_id": before.page_id,
            "block_id": before.id,
            "user_id": call.actor.user_id,
            "at": at,
            "method": call.method,
            "before": {name: getattr(before, name) for name in changed},
            "after": {name: after[name] for name in changed},
        },
    )
