"""The edits of a page's draft: listed, undone, redone; and what undoing a call needs."""

from landyard_landing.history.entries import Edit, edits_of, redo, undo
from landyard_landing.history.restoring import HistoryConflict
from landyard_landing.history.undoing import may_undo

__all__ = [
    "Edit",
    "HistoryConflict",
    "edits_of",
    "may_undo",
    "redo",
    "undo",
]
