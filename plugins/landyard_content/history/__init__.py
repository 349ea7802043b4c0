"""The edits of a page's draft: listed, undone, redone; and what undoing a call needs."""

from landyard_content.history.edits import (
    Edit,
    edits_of,
    redo,
    undo,
)
from landyard_content.history.restoring import (
    HistoryConflict,
)

__all__ = [
    "Edit",
    "HistoryConflict",
    "edits_of",
    "redo",
    "undo",
]
