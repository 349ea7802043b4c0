"""The making of picture variants, within the limits of uploads, for other plugins."""

from collections.abc import Sequence

from landyard import Host
from landyard_pictures.decode.exchange import Task, Varied
from landyard_pictures.decoders import decoders
from landyard_pictures.upload_settings import UploadSettings


def vary(host: Host, content: bytes, widths: Sequence[int], kinds: Sequence[str]) -> Varied:
    """Return the size of a picture, and its variants of all widths below its own.

    Kinds are `WEBP` and `AVIF`. If no width is larger, its own width is one more variant. Animated
    pictures have no variants. Raises `FileError` if it cannot be decoded in time.
    """
    settings = host.section(UploadSettings)
    limits = (settings.max_megapixels, settings.max_bytes)
    return decoders(settings).varied(
        Task(content, None, False, *limits, tuple(widths), tuple(kinds))
    )
