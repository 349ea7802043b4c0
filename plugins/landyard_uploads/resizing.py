"""Resizing: a picture made to fit a box, with its orientation and its animation (U3)."""

import io
from typing import Any

from msgspec import Struct
from PIL import Image, ImageOps

from landyard_uploads.errors import FileError
from landyard_uploads.kinds import frames_of, kind_of, opened

LARGEST = 8192  # pixels of a side
_FIT, _EXACT = 0, 2
_ROOM = LARGEST * LARGEST  # pixels of a result over all frames
_LARGEST_ICON = 256
_MOVING = frozenset({"GIF", "WEBP", "PNG", "AVIF"})
_ORIENTATION = 0x0112
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_LYING = frozenset({5, 6, 7, 8})
# The modes that each kind is written in as they are; the rest becomes RGB, or RGBA.
_MODES = {
    "JPEG": {"L", "RGB", "CMYK"},
    "PNG": {"L", "LA", "RGB", "RGBA", "I;16"},
    "BMP": {"L", "RGB", "RGBA"},
    "TIFF": {"L", "LA", "RGB", "RGBA", "CMYK", "LAB", "I;16", "I", "F"},
    "ICO": {"RGBA"},
}
_ANY = {"RGB", "RGBA"}

Size = tuple[int, int]


class Box(Struct, frozen=True):
    """What a picture is made to fit, in pixels; `way` is 0 (fit), 1 (larger side) or 2 (exact)."""

    width: int
    height: int
    way: int

    def size(self, width: int, height: int) -> Size:
        """Say how large a picture becomes; only an exact box enlarges it."""
        if self.way == _EXACT:
            return self.width, self.height
        across, down = self.width / width, self.height / height
        if self.way == _FIT:
            scale = min(across, down, 1.0)
        else:
            scale = min(across if width >= height else down, 1.0)
        return max(1, int(width * scale + 0.5)), max(1, int(height * scale + 0.5))


def resized(content: bytes, box: Box, megapixels: int) -> tuple[bytes, str]:
    """Return the picture in its new size, and its kind; as it is where that is its size already.

    Raises `FileError`. An icon that outgrows what icons can be becomes a PNG.
    """
    with opened(content, megapixels) as picture:
        kind = kind_of(picture)
        frames: list[Image.Image] = []
        durations: list[float] = []
        room = _ROOM
        for frame in frames_of(picture, megapixels):
            orientation = frame.getexif().get(_ORIENTATION, 1)
            old = frame.size[::-1] if orientation in _LYING else frame.size
            new = box.size(*old)
            if new == old:
                return content, kind
            room -= new[0] * new[1]
            if room < 0:
                raise FileError("The picture would have too many pixels in this size.")
            durations.append(frame.info.get("duration", 0))
            frames.append(_scaled(frame, _mode(frame, kind), new, orientation))
            if kind not in _MOVING:
                break
        if kind == "ICO" and max(frames[0].size) > _LARGEST_ICON:
            kind = "PNG"
        options = _options(kind, content, picture.info, frames)
        if len(frames) > 1:
            options |= {"save_all": True, "append_images": frames[1:], "duration": durations}
        written = io.BytesIO()
        frames[0].save(written, kind, **options)
        return written.getvalue(), kind


def _scaled(frame: Image.Image, mode: str, size: Size, orientation: int) -> Image.Image:
    image = frame.convert(mode)
    if orientation in _UPRIGHT:
        image = image.transpose(_UPRIGHT[orientation])
    # Cuts what an exact box has no room for, around the centre; nothing where the shape is kept.
    return ImageOps.fit(image, size, Image.Resampling.LANCZOS)


def _mode(frame: Image.Image, kind: str) -> str:
    """Choose what a frame is scaled and written in: palettes cannot be scaled."""
    allowed = _MODES.get(kind, _ANY)
    if frame.mode.startswith("I;16"):
        return "I;16" if frame.mode == "I;16" else "I"
    if frame.has_transparency_data and frame.mode != "LA":
        return "RGBA"
    return frame.mode if frame.mode in allowed else "RGB"


def _options(
    kind: str, content: bytes, info: dict[str | tuple[int, int], Any], frames: list[Image.Image]
) -> dict[str, Any]:
    # The colours are those of the profile; all other metadata is left behind.
    options: dict[str, Any] = {"icc_profile": info.get("icc_profile")}
    match kind:
        case "JPEG":
            options |= {"quality": 90, "progressive": "progressive" in info}
        case "WEBP":
            options |= {"quality": 90, "lossless": b"VP8L" in content[:64]}
        case "AVIF":
            options |= {"quality": 80}
        case "TIFF":
            options |= {"compression": "tiff_adobe_deflate"}
        case "ICO":
            options = {"sizes": [frames[0].size]}
        case "GIF":
            options = {"disposal": 2} if any(frame.mode == "RGBA" for frame in frames) else {}
    if "loop" in info:
        options["loop"] = info["loop"]
    return options
