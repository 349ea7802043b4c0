"""The edits of a page's draft: lists, undoes and redoes them; and undo of calls on blocks."""

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
