"""Opens pictures and decodes their frames, within limits (U1, U4).

Runs in the decoder's process, which has no kernel.
"""

import copy  # noqa: F401 - the GIF reader imports it late, when a decoder can no longer open files
import io
import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from PIL import AvifImagePlugin, Image

from .kinds import RASTER, Unusable, refusal_of

# Pillow's readers of the accepted kinds; importing one registers it.
for _name in ("Bmp", "Gif", "Ico", "Jpeg", "Mpo", "Png", "Tiff", "WebP"):
    import_module(f"PIL.{_name}ImagePlugin")

_ONE_FRAME = frozenset({"JPEG", "BMP", "ICO"})
_COUNTED = frozenset({"PNG", "WEBP", "AVIF"})  # kinds that give the number of frames beforehand
_LEAST = 100 * 100  # the least pixels counted for a frame, because even small ones cost time


def prepare_pillow() -> None:
    """Set up Pillow for a process that only decodes pictures."""
    Image.preinit()  # Pillow would do it at the first picture, when no file can be opened any more
    # Warnings concern a caller's file, so operators cannot act on them. The pixel limit, however,
    # must be an error, and not only from twice its value on.
    warnings.simplefilter("ignore")
    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    # One thread per picture, because the number of processes sets the load.
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1


@contextmanager
def opened(content: bytes, megapixels: int) -> Iterator[Image.Image]:
    """Open a picture; raises `Unusable` for any error in it while it is open.

    `MemoryError` is passed on, because the state of the process is unknown then.
    """
    # Pillow checks this limit before it allocates memory for the declared size.
    Image.MAX_IMAGE_PIXELS = megapixels * 1_000_000
    try:
        with Image.open(io.BytesIO(content), formats=RASTER) as picture:
            yield picture
    except (Unusable, MemoryError):
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        raise _too_large(megapixels) from bomb
    except Exception as broken:  # a hostile file can make Pillow raise anything
        raise Unusable(refusal_of(content)) from broken


def kind_of(picture: Image.Image) -> str:
    """Return the kind of an open picture."""
    # Cameras append further pictures to a JPEG, which Pillow calls MPO; browsers show the first.
    return "JPEG" if picture.format == "MPO" else str(picture.format)


def frames_of(picture: Image.Image, megapixels: int) -> Iterator[Image.Image]:
    """Yield the frames of a picture; decode each before asking for the next.

    Raises `Unusable` before decoding the frame that exceeds the limit.
    """
    left = megapixels * 1_000_000
    kind = kind_of(picture)
    if kind in _COUNTED and getattr(picture, "n_frames", 1) * _pixels(picture) > left:
        raise _too_large(megapixels)
    for number in range(1) if kind in _ONE_FRAME else itertools.count():
        try:
            picture.seek(number)
        except EOFError:
            return
        left -= _pixels(picture)
        if left < 0:
            raise _too_large(megapixels)
        yield picture


def recognised(content: bytes, megapixels: int) -> str:
    """Return the kind of a raster picture; raises `Unusable` unless all of it can be decoded."""
    with opened(content, megapixels) as picture:
        for frame in frames_of(picture, megapixels):
            frame.load()
        return kind_of(picture)


def _pixels(picture: Image.Image) -> int:
    return max(picture.width * picture.height, _LEAST)


def _too_large(megapixels: int) -> Unusable:
    return Unusable(
        f"The picture has more than {megapixels} megapixels over all its frames. Make it"
        " smaller, and send that."
    )
