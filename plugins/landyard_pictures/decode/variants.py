"""Makes a picture's smaller variants, in the kinds that browsers load fastest.

Runs in the decoder's process.
"""

import io
from collections.abc import Sequence

from PIL import Image

from .box import Box
from .exchange import Variant, Varied
from .frames import frames_of, kind_of, opened
from .kinds import Unusable
from .resizing import upright

_QUALITY = {"WEBP": {"quality": 80, "method": 4}, "AVIF": {"quality": 60, "speed": 8}}
# Chromium shows half-transparent parts of Pillow's AVIFs up to 14 of 255 levels off.
_OPAQUE = frozenset({"AVIF"})
_NARROWEST = 64  # pixels; smaller pictures such as icons get no variants
_TALLEST = 16_383  # pixels of a side that WebP can have


def varied(content: bytes, widths: Sequence[int], kinds: Sequence[str], megapixels: int) -> Varied:
    """Return a picture's size, and its variants in all widths below its own.

    Its own width is one of them if it lies between two. Animated pictures and icons have no
    variants, and variants that are not smaller in bytes are dropped. Transparent pictures have no
    AVIF variants. Raises `Unusable`.
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
        chosen_widths = sorted(
            {each for each in widths if each < width} | {min(width, max(widths))}
        )
        variants: list[Variant] = []
        for each in reversed(chosen_widths):
            # Resize the next larger variant, which takes a fraction of the time and is invisible.
            image = image.resize(
                Box(each, _TALLEST, 0).size(width, height), Image.Resampling.BICUBIC
            )
            variants += (_written(image, kind) for kind in kinds)
        return Varied(
            width, height, [each for each in variants if len(each.content) < len(content)]
        )


def _is_clear(image: Image.Image) -> bool:
    """Tell whether a picture in RGB or RGBA is transparent somewhere."""
    return image.mode == "RGBA" and image.getchannel("A").getextrema() != (255, 255)


def _written(image: Image.Image, kind: str) -> Variant:
    buffer = io.BytesIO()
    image.save(buffer, kind, **_QUALITY[kind])
    return Variant(image.width, kind, buffer.getvalue())
