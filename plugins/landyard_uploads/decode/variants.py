"""Smaller variants of a picture, in the kinds that browsers load fastest.

Runs in the decoder's process.
"""

import io
from collections.abc import Sequence

from PIL import Image

from landyard_uploads.decode.box import Box
from landyard_uploads.decode.exchange import Variant, Varied
from landyard_uploads.decode.frames import frames_of, kind_of, opened
from landyard_uploads.decode.kinds import Unusable
from landyard_uploads.decode.resizing import upright

_QUALITY = {"WEBP": {"quality": 80, "method": 4}, "AVIF": {"quality": 60, "speed": 8}}
# Chromium shows half-transparent parts of an AVIF that Pillow wrote up to 14 levels of 255 off.
_OPAQUE = frozenset({"AVIF"})
_NARROWEST = 64  # pixels; icons stay as they are
_TALLEST = 16_383  # pixels of a side that WebP can have


def varied(content: bytes, widths: Sequence[int], kinds: Sequence[str], megapixels: int) -> Varied:
    """Return a picture's size, and it in each of the widths that are less than its own.

    Its own width is one of them where it is between two. A picture that moves stays as it is, and
    so does an icon, and one that a variant would not be smaller than. One that is transparent
    somewhere has no variants in AVIF. Raises `Unusable`.
    """
    with opened(content, megapixels) as picture:
        frame = next(frames_of(picture, megapixels), None)
        if frame is None:
            raise Unusable("The picture has no frame.")
        moves = getattr(picture, "n_frames", 1) > 1 and kind_of(picture) != "JPEG"
        image = upright(frame)
        width, height = image.size
        if moves or width < _NARROWEST:
            return Varied(width, height, [])
        if _is_clear(image):
            kinds = [kind for kind in kinds if kind not in _OPAQUE]
        wanted = sorted({each for each in widths if each < width} | {min(width, max(widths))})
        made: list[Variant] = []
        for each in reversed(wanted):
            # From the next larger one: it takes a fraction of the time, and is not to be seen.
            image = image.resize(
                Box(each, _TALLEST, 0).size(width, height), Image.Resampling.BICUBIC
            )
            made += (_written(image, kind) for kind in kinds)
        return Varied(width, height, [each for each in made if len(each.content) < len(content)])


def _is_clear(image: Image.Image) -> bool:
    """Tell whether a picture in RGB or RGBA is transparent somewhere."""
    return image.mode == "RGBA" and image.getchannel("A").getextrema() != (255, 255)


def _written(image: Image.Image, kind: str) -> Variant:
    written = io.BytesIO()
    image.save(written, kind, **_QUALITY[kind])
    return Variant(image.width, kind, written.getvalue())
