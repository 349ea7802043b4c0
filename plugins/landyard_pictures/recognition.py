"""The recognition of a picture's kind, within the limits of uploads, for other plugins."""

from landyard import Host
from landyard_pictures.decode.exchange import Task
from landyard_pictures.decoders import decoders
from landyard_pictures.upload_settings import UploadSettings


def picture_kind(host: Host, content: bytes) -> str:
    """Return the kind of a picture, such as `JPEG`, after decoding it completely.

    Raises `FileError` if it is no picture, too large, or too expensive to decode; SVG is refused.
    """
    settings = host.section(UploadSettings)
    return (
        decoders(settings)
        .made(Task(content, None, False, settings.max_megapixels, settings.max_bytes))
        .kind
    )
