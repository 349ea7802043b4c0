"""Kinds of pictures, known by their content and decoded whole before they are believed (U1, U4)."""

import io
import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image

from landyard_uploads.errors import FileError

EXTENSIONS = {
    "JPEG": ("jpg", "jpeg"),
    "PNG": ("png",),
    "GIF": ("gif",),
    "WEBP": ("webp",),
    "AVIF": ("avif",),
    "BMP": ("bmp",),
    "TIFF": ("tiff", "tif"),
    "ICO": ("ico",),
    "SVG": ("svg",),
}
"""The extensions of each kind, the usual one first."""
RASTER = tuple(kind for kind in EXTENSIONS if kind != "SVG")
_ONE_FRAME = frozenset({"JPEG", "BMP", "ICO"})
_LEAST = 100 * 100  # pixels that a frame counts as at least: it costs time, however small it is

# What Pillow warns of is in a caller's file: nothing that the operator could mend.
warnings.filterwarnings("ignore", module=r"PIL\.")


@contextmanager
def opened(content: bytes, megapixels: int) -> Iterator[Image.Image]:
    """Open a picture; raises `FileError` for whatever is wrong with it while it is open."""
    # Pillow asks this before it makes room for what a file says of itself: twice as much at most.
    Image.MAX_IMAGE_PIXELS = megapixels * 1_000_000
    try:
        with Image.open(io.BytesIO(content), formats=RASTER) as picture:
            yield picture
    except FileError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        raise _too_large(megapixels) from bomb
    except Exception as broken:  # a hostile file makes Pillow raise anything
        raise FileError("The file is not a picture that can be read.") from broken


def kind_of(picture: Image.Image) -> str:
    """Say which of the kinds an open picture is."""
    # Cameras append further pictures to a JPEG; to everybody else it is one all the same.
    return "JPEG" if picture.format == "MPO" else str(picture.format)


def frames_of(picture: Image.Image, megapixels: int) -> Iterator[Image.Image]:
    """Decode the frames of a picture one by one; raises `FileError` when they are too large."""
    left = megapixels * 1_000_000
    numbers = range(1) if kind_of(picture) in _ONE_FRAME else itertools.count()
    for number in numbers:
        try:
            picture.seek(number)
        except EOFError:
            return
        left -= max(picture.width * picture.height, _LEAST)
        if left < 0:
            raise _too_large(megapixels)
        picture.load()
        yield picture


def recognised(content: bytes, megapixels: int) -> str:
    """Say which kind of raster picture this is; raises `FileError` unless it can all be decoded."""
    with opened(content, megapixels) as picture:
        for _ in frames_of(picture, megapixels):
            pass
        return kind_of(picture)


def _too_large(megapixels: int) -> FileError:
    return FileError(f"The picture has more than {megapixels} megapixels over all its frames.")
