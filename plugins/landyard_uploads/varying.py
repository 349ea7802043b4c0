"""Makes smaller variants of uploaded pictures, within the limits of uploads, for other plugins."""

from collections.abc import Sequence

from landyard import Host
from landyard_uploads.decode.exchange import Task, Varied
from landyard_uploads.decoders import decoders
from landyard_uploads.settings import UploadSettings


def vary(host: Host, content: bytes, widths: Sequence[int], kinds: Sequence[str]) -> Varied:
    """Return the size of a picture, and its variants of these widths that are less than its own.

    Kinds are `WEBP` and `AVIF`. Its own width is one more variant where none is wider. A picture
    that moves has no variants. Raises `FileError` for what cannot be decoded, or not in time.
    """
    settings = host.section(UploadSettings)
    limits = (settings.max_megapixels, settings.max_bytes)
    return decoders(settings).varied(
        Task(content, None, False, *limits, tuple(widths), tuple(kinds))
    )
