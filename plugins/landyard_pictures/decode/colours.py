"""Converts a picture's colours to 8-bit sRGB, as browsers show them.

Modes are converted by their range and colours by their profile. A profile is used only if browsers
use it: it can be read, and it describes this kind of pixels. Runs in the decoder's process.
"""

import io
import math

from msgspec import Struct
from PIL import Image, ImageCms

_GREY = frozenset({"1", "L", "LA", "La", "I", "F", "I;16", "I;16B", "I;16L", "I;16N"})
_OTHERS = {"CMYK": "CMYK", "LAB": ""}  # none is used for LAB
_HEADER = 128  # bytes of a profile
_SIXTEEN = 65_535
_TO_EIGHT = [(value + 128) // 257 for value in range(_SIXTEEN + 1)]
# Browsers use no other intent, and no compensation of the black point.
_INTENT = ImageCms.Intent.RELATIVE_COLORIMETRIC
_LAB = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()


class Profile(Struct, frozen=True):
    """A colour profile that browsers use for a picture; `space` is `GRAY`, `RGB` or `CMYK`."""

    content: bytes
    space: str


def profile_of(frame: Image.Image) -> Profile | None:
    """Return the colour profile that browsers use for a frame.

    None if it has none, or if the profile cannot be read or does not fit the pixels: browsers
    ignore such a profile.
    """
    content = frame.info.get("icc_profile")
    if not isinstance(content, bytes) or not _is_whole(content):
        return None
    try:
        space = ImageCms.ImageCmsProfile(io.BytesIO(content)).profile.xcolor_space.strip()
        if not _fits(frame, space):
            return None
        _to_srgb(content, "L" if space == "GRAY" else space)
    except (OSError, ValueError, ImageCms.PyCMSError):
        return None
    return Profile(content, space)


def in_srgb(frame: Image.Image) -> Image.Image:
    """Return a frame in RGB or RGBA with sRGB colours, without metadata."""
    image = _in_eight_bits(frame)
    profile = profile_of(frame)
    if image.mode == "LAB":
        image = _applied(image, _LAB)
    elif profile is not None:
        image = _by_profile(image, profile)
    mode = "RGBA" if image.mode in ("LA", "RGBA") else "RGB"
    image = image if image.mode == mode else image.convert(mode)
    image.info = {}
    return image


def _is_whole(content: bytes) -> bool:
    """Tell whether a profile has its declared length; browsers ignore others."""
    return _HEADER < int.from_bytes(content[:4], "big") <= len(content)


def _fits(frame: Image.Image, space: str) -> bool:
    """Tell whether browsers use a profile of this colour space for a frame.

    They use an RGB profile for a grey frame, but no grey profile for a coloured frame.
    """
    if frame.mode in _GREY:
        return space in ("GRAY", "RGB")
    if space == "GRAY":
        return frame.format == "AVIF" and frame.mode == "RGB" and _is_grey(frame)
    return _OTHERS.get(frame.mode, "RGB") == space


def _is_grey(frame: Image.Image) -> bool:
    """Tell whether all three colours are the same: Pillow reads a grey AVIF as RGB."""
    red, green, blue = (frame.getchannel(each).tobytes() for each in "RGB")
    return red == green == blue


def _in_eight_bits(frame: Image.Image) -> Image.Image:
    """Return a frame in L, LA, RGB, RGBA, CMYK or LAB."""
    if frame.mode.startswith("I;16"):
        return _from_sixteen(frame)
    if frame.mode in ("I", "F"):
        return _from_wide(frame)
    if frame.mode in _GREY:
        return frame.convert("LA" if frame.has_transparency_data else "L")
    if frame.mode in ("CMYK", "LAB"):
        return frame
    return frame.convert("RGBA" if frame.has_transparency_data else "RGB")


def _from_sixteen(frame: Image.Image) -> Image.Image:
    values = frame.convert("I")
    image = values.point(_TO_EIGHT, "L")
    clear = frame.info.get("transparency")
    if isinstance(clear, int):
        opaque = [0 if value == clear else 255 for value in range(_SIXTEEN + 1)]
        image.putalpha(values.point(opaque, "L"))
    return image


def _from_wide(frame: Image.Image) -> Image.Image:
    """Convert 32-bit values; the file does not define white, so it is derived from the pixels."""
    low, high = _range(frame)
    scale = 255 / (high - low)
    return frame.convert("F").point(lambda value: value * scale + (0.5 - low * scale)).convert("L")


def _range(frame: Image.Image) -> tuple[float, float]:
    """Return the values of black and of white.

    They are the ends of the narrowest usual range with all pixels, else the least and greatest
    value. Floating-point pictures usually range to 1.
    """
    low, high = (float(value) for value in frame.getextrema() if isinstance(value, int | float))
    if not (math.isfinite(low) and math.isfinite(high)):
        return 0.0, 1.0
    if low >= 0:
        usual = [255.0, float(_SIXTEEN)]
        for white in [1.0, *usual] if frame.mode == "F" else usual:
            if high <= white:
                return 0.0, white
    return (low, high) if low < high else (low, low + 1)


def _by_profile(image: Image.Image, profile: Profile) -> Image.Image:
    if profile.space != "GRAY":
        if image.mode in ("L", "LA"):
            image = image.convert("RGB" if image.mode == "L" else "RGBA")
        return _applied(image, profile.content)
    # The profile does not apply to transparency.
    colours = _applied(image.convert("L"), profile.content)
    if image.mode in ("LA", "RGBA"):
        colours.putalpha(image.getchannel("A"))
    return colours


def _applied(image: Image.Image, profile: bytes) -> Image.Image:
    converted = ImageCms.applyTransform(image, _to_srgb(profile, image.mode))
    assert converted is not None  # only an in-place transform returns None
    return converted


def _to_srgb(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform:
    """Return the transform of a mode's pixels to sRGB; raises `PyCMSError` for a broken profile."""
    return ImageCms.buildTransform(
        io.BytesIO(profile),
        ImageCms.createProfile("sRGB"),
        mode,
        "RGBA" if mode == "RGBA" else "RGB",
        _INTENT,
    )
