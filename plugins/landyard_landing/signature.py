"""Who has changed a row, and when: the columns that every change of a call writes."""

from typing import Any

from landyard import Call


def changed_by(call: Call) -> dict[str, Any]:
    """Return the columns that say that the caller has changed a row now."""
    return {"modified_at": call.now(), "modified_by": call.actor.user_id}
