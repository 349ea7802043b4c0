"""Resizes pictures to a box, with their orientation and animation (U3).

Of the metadata only a colour profile is kept, if browsers use it. Runs in the decoder's
process.
"""

import io
from math import ceil
from typing import Any

from PIL import Image

from .box import LARGEST, Box
from .colours import Profile, in_srgb, profile_of
from .frames import frames_of, kind_of, opened, recognised
from .kinds import Unusable

_ROOM = LARGEST * LARGEST  # pixels of a result in all frames
_HASTE = 4_000_000  # pixels from which an AVIF is written six times as fast, but a third larger
_LARGEST_ICON = 256
_MOST_CHUNKS = 100  # chunks before the pixels of a WebP; only four kinds are possible
_LARGEST_PROFILE = 1024 * 1024  # bytes; printer profiles have half of it
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
# The modes that each kind can store; other modes become RGB or RGBA, in sRGB.
_MODES = {
    "JPEG": {"L", "RGB", "CMYK"},
    "PNG": {"L", "LA", "RGB", "RGBA", "I;16"},
    "BMP": {"L", "RGB", "RGBA"},
    "TIFF": {"L", "LA", "RGB", "RGBA", "CMYK", "LAB", "I;16", "I", "F"},
    "ICO": {"RGBA"},
}
_ANY = {"RGB", "RGBA"}
_OTHER_ORDERS = {"I;16B", "I;16L", "I;16N"}
# These modes are first reduced by a whole factor, to at least three times the target size, which is
# quick and invisible.
_REDUCED = frozenset({"L", "RGB", "RGBA", "LA", "CMYK"})
_GAP = 3.0


def resized(content: bytes, box: Box, megapixels: int) -> tuple[bytes, str]:
    """Return the resized picture and its kind; unchanged if it has that size already.

    Raises `Unusable`. An icon that outgrows what icons can be becomes a PNG.
    """
    with opened(content, megapixels) as picture:
        kind = kind_of(picture)
        frames: list[Image.Image] = []
        durations: list[float] = []
        room = _ROOM
        for frame in frames_of(picture, megapixels):
            if kind != "JPEG":
                # The orientation of a TIFF is known only after decoding.
                frame.load()
            orientation = frame.getexif().get(_ORIENTATION, 1)
            upright = box.lying() if orientation in _LYING else box
            size = upright.size(*frame.size)
            if size == frame.size:
                return content, recognised(content, megapixels)
            room -= size[0] * size[1]
            if room < 0:
                raise Unusable("The picture would have too many pixels in this size.")
            frames.append(_scaled(frame, kind, upright, orientation))
            durations.append(frame.info.get("duration", 0))
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


def upright(frame: Image.Image) -> Image.Image:
    """Return a frame turned upright, in RGB or RGBA with sRGB colours."""
    frame.load()  # the orientation of a TIFF is known only after decoding
    orientation = frame.getexif().get(_ORIENTATION, 1)
    image = in_srgb(frame)
    return image.transpose(_UPRIGHT[orientation]) if orientation in _UPRIGHT else image


def _scaled(frame: Image.Image, kind: str, box: Box, orientation: int) -> Image.Image:
    size = box.size(*frame.size)
    # An exact box crops; sizes are those before turning upright.
    _draft(frame, box)
    region = box.region(*frame.size)
    image, profile = _writable(frame, kind)
    gap = _GAP if image.mode in _REDUCED else None
    image = image.resize(size, Image.Resampling.BICUBIC, region, reducing_gap=gap)
    if orientation in _UPRIGHT:
        image = image.transpose(_UPRIGHT[orientation])
    image.info = {} if profile is None else {"icc_profile": profile.content}
    return image


def _draft(frame: Image.Image, box: Box) -> None:
    """Let a JPEG be decoded at a half, a quarter or an eighth of its size if that is enough."""
    left, top, right, bottom = box.region(*frame.size)
    width, height = box.size(*frame.size)
    across, down = width / (right - left), height / (bottom - top)
    enough = ceil(frame.width * across), ceil(frame.height * down)
    frame.draft(None, enough)


def _writable(frame: Image.Image, kind: str) -> tuple[Image.Image, Profile | None]:
    """Return a frame in a mode that its kind can store, and its colour profile.

    Palettes cannot be scaled. A frame in sRGB needs no profile.
    """
    allowed = _MODES.get(kind, _ANY)
    mode = "I" if frame.mode in _OTHER_ORDERS else frame.mode
    profile = profile_of(frame)
    clear = frame.has_transparency_data and mode not in ("LA", "RGBA")
    if mode in allowed and not clear and _is_kept(profile, mode):
        return frame if frame.mode == mode else frame.convert(mode), profile
    image = in_srgb(frame)
    if image.mode not in allowed:
        image = image.convert("RGBA" if "RGBA" in allowed else "RGB")
    return image, None


def _is_kept(profile: Profile | None, mode: str) -> bool:
    """Tell whether pixels of this mode can stay unchanged, with their profile."""
    if profile is None:
        return True
    is_small = len(profile.content) <= _LARGEST_PROFILE
    return is_small and (profile.space != "GRAY" or mode not in _ANY)


def _options(
    kind: str, content: bytes, info: dict[str | tuple[int, int], Any], frames: list[Image.Image]
) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if profile := frames[0].info.get("icc_profile"):
        options["icc_profile"] = profile
    match kind:
        case "JPEG":
            options |= {"quality": 90, "progressive": "progressive" in info}
        case "WEBP":
            options |= {"quality": 90, "lossless": _lossless(content)}
        case "AVIF":
            pixels = sum(frame.width * frame.height for frame in frames)
            options |= {"quality": 80, "speed": 9 if pixels > _HASTE else 6}
        case "TIFF":
            options |= {"compression": "tiff_adobe_deflate"}
        case "ICO":
            options = {"sizes": [frames[0].size]}
        case "GIF":
            options = {"disposal": 2} if any(frame.mode == "RGBA" for frame in frames) else {}
    if "loop" in info:
        options["loop"] = info["loop"]
    return options


def _lossless(content: bytes) -> bool:
    """Tell whether the first frame of a WebP is a lossless one."""
    at = 12
    for _ in range(_MOST_CHUNKS):
        name, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "little")
        if name in (b"VP8L", b"VP8 "):
            return name == b"VP8L"
        # A frame of an animation has 16 bytes of its own, and then chunks again.
        at += 8 + (16 if name == b"ANMF" else size + size % 2)
    return False
