"""Tells what kind of picture something is, within the limits of uploads, for other plugins."""

from landyard import Host
from landyard_uploads.decode.exchange import Task
from landyard_uploads.decoders import decoders
from landyard_uploads.settings import UploadSettings


def picture_kind(host: Host, content: bytes) -> str:
    """Return the kind of a picture, such as `JPEG`; it is decoded to the end.

    Raises `FileError` for what is no picture, is too large, or takes too much to decode; an SVG is
    none here.
    """
    settings = host.section(UploadSettings)
    return (
        decoders(settings)
        .made(Task(content, None, False, settings.max_megapixels, settings.max_bytes))
        .kind
    )
