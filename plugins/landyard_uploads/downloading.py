"""Downloads a picture from an address that a caller gave, from public hosts only (U4, U5).

All refusals read the same to the caller, so that nobody can scan ports with them.
"""

import landyard_outgoing
from landyard_outgoing import Limits, Refused
from landyard_uploads.errors import FileError
from landyard_uploads.settings import UploadSettings

_TEXT = (
    "The picture could not be downloaded: it takes an http or https address of a public host, on"
    " its usual port, that answers in time with a picture that is not too large."
)


def fetch(url: str, settings: UploadSettings) -> bytes:
    """Download what is at `url`; raises `FileError`, with one text for all that can be wrong."""
    limits = Limits(
        seconds=settings.download_seconds,
        max_bytes=settings.max_bytes,
        ports=settings.download_ports,
        allow_hosts=settings.allow_hosts,
        max_redirects=settings.max_redirects,
        at_once=settings.downloads,
    )
    try:
        return landyard_outgoing.fetch(url, limits, accept="image/*")
    except Refused as refused:
        raise FileError(_TEXT) from refused
