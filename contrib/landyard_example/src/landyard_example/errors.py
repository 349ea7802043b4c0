"""The plugin's error answers: an error class for each error code."""

from landyard import CallError


class EntryRefused(CallError):
    code = "GUESTBOOK_ENTRY_REFUSED"
    text = "An entry needs a name and a text, and no more characters than the guest book takes."
