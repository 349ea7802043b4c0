"""The columns `modified_at` and `modified_by`, with which a call signs a changed row."""

from typing import Any

from landyard import Call


def changed_by(call: Call) -> dict[str, Any]:
    """Return the columns that sign a change: the present moment, and the caller's user id."""
    return {"modified_at": call.now(), "modified_by": call.actor.user_id}
