"""The codes that undoing a call may be refused with."""

from landyard import CallError


class CallNotKept(CallError):
    code = "CALL_NOT_KEPT"
    text = "Nothing is kept of such a call: it changed nothing, is too old, or is not yours."


class UndoNotPossible(CallError):
    code = "UNDO_NOT_POSSIBLE"
    text = "The call did what cannot be undone."


class UndoConflict(CallError):
    code = "UNDO_CONFLICT"
    text = "What the call changed was changed since. Nothing was done; see `error_data`."
