"""The errors of the plugin's methods."""

from landyard import CallError


class ContactNotFound(CallError):
    code = "CONTACTS_NOT_FOUND"
    text = "There is no contact with this id."
