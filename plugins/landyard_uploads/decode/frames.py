"""Opens pictures and decodes their frames, within limits (U1, U4).

Runs in the decoder's process, which knows nothing of the kernel.
"""

import copy  # noqa: F401 - the reader of GIF does so only when a decoder can open no file any more
import io
import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from PIL import AvifImagePlugin, Image

from landyard_uploads.decode.kinds import RASTER, Unusable, refusal_of

# Pillow's readers of the kinds that are taken; each makes itself known when it is imported.
for _name in ("Bmp", "Gif", "Ico", "Jpeg", "Mpo", "Png", "Tiff", "WebP"):
    import_module(f"PIL.{_name}ImagePlugin")

_ONE_FRAME = frozenset({"JPEG", "BMP", "ICO"})
_COUNTED = frozenset({"PNG", "WEBP", "AVIF"})  # they say beforehand how many frames there are
_LEAST = 100 * 100  # pixels that a frame counts as at least: it costs time, however small it is


def prepare_pillow() -> None:
    """Set up Pillow for a process that only decodes pictures."""
    # Pillow takes this for having loaded all of its forty readers: it would, for a file that none
    # of these knows.
    Image._initialized = 2  # noqa: SLF001 - there is no public way to keep them out
    # What Pillow warns of is in a caller's file: nothing that the operator could mend. But this is
    # a limit, and not twice that.
    warnings.simplefilter("ignore")
    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    # One picture, one thread: it is the processes that are counted.
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1


@contextmanager
def opened(content: bytes, megapixels: int) -> Iterator[Image.Image]:
    """Open a picture; raises `Unusable` for whatever is wrong with it while it is open.

    Raises `MemoryError` as it is: nobody knows what is left of the process then.
    """
    # Pillow asks this before it makes room for what a file says of itself.
    Image.MAX_IMAGE_PIXELS = megapixels * 1_000_000
    try:
        with Image.open(io.BytesIO(content), formats=RASTER) as picture:
            yield picture
    except (Unusable, MemoryError):
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as bomb:
        raise _too_large(megapixels) from bomb
    except Exception as broken:  # a hostile file makes Pillow raise anything
        raise Unusable(refusal_of(content)) from broken


def kind_of(picture: Image.Image) -> str:
    """Say which of the kinds an open picture is."""
    # Cameras append further pictures to a JPEG, which Pillow calls MPO; browsers show the first.
    return "JPEG" if picture.format == "MPO" else str(picture.format)


def frames_of(picture: Image.Image, megapixels: int) -> Iterator[Image.Image]:
    """Go through the frames of a picture, each to be decoded before the next is asked for.

    Raises `Unusable` when they are too large, before the one that is too much is decoded.
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
    """Say which kind of raster picture this is; raises `Unusable` unless it can all be decoded."""
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
