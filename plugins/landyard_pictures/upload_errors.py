"""The error for a picture that is not accepted (contract, section 7)."""

from landyard import CallError


class FileError(CallError):
    code = "FILE_ERROR"
    text = "The picture could not be loaded or saved."
