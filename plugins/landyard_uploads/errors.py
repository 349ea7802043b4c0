"""What can be wrong with a picture, in the contract's one code for it (section 7)."""

from landyard import CallError


class FileError(CallError):
    code = "FILE_ERROR"
    text = "The picture could not be loaded or saved."
