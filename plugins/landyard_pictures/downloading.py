"""The download of a picture from a caller's address, on public hosts only (U4, U5).

All errors have the same text, so that callers cannot scan ports.
"""

import landyard_outgoing
from landyard_outgoing import Limits, Refused
from landyard_pictures.upload_errors import FileError
from landyard_pictures.upload_settings import UploadSettings

_TEXT = (
    "The picture could not be downloaded: give an http or https address of a public host, on"
    " its usual port, that answers in time with a picture that is not too large."
)


def fetch(url: str, settings: UploadSettings) -> bytes:
    """Return the content at `url`; raises `FileError`, with the same text for all failures."""
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
