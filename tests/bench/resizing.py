"""A photograph of twelve megapixels made small: our decoder beside Pillow called directly."""

import io
import statistics
import time
from collections.abc import Callable

from PIL import Image

from landyard_uploads.decode.box import Box
from landyard_uploads.decode.exchange import Task
from landyard_uploads.decoders import Decoders

RESIZE_BAR = 1.3  # times Pillow's fastest path
SIZE = (1200, 675)
_PHOTOGRAPH = (4000, 3000)
_TIMES = 7


def resizing() -> float:
    """Return the median of our time divided by Pillow's, one after the other."""
    photograph = _photograph()
    decoders = Decoders(1, 60.0, 1024)
    task = Task(photograph, Box(*SIZE, 2), False, 50, 10**8)
    decoders.made(task)  # starts it
    ratios = [
        _seconds(lambda: decoders.made(task)) / _seconds(lambda: _fastest(photograph))
        for _ in range(_TIMES)
    ]
    decoders.close()
    return statistics.median(ratios)


def _photograph() -> bytes:
    """Something with shapes and grain, as a camera writes it: some 3 MB."""
    grain = Image.effect_noise((1000, 750), 60).resize(_PHOTOGRAPH)
    light = Image.radial_gradient("L").resize(_PHOTOGRAPH)
    image = Image.merge("RGB", (grain, light, Image.blend(grain, light, 0.5)))
    written = io.BytesIO()
    image.save(written, "JPEG", quality=92)
    return written.getvalue()


def _fastest(photograph: bytes) -> bytes:
    """Decoded at half its size by the codec, cut and scaled by the cheaper filter, written."""
    image = Image.open(io.BytesIO(photograph))
    image.draft("RGB", (SIZE[0], SIZE[0] * _PHOTOGRAPH[1] // _PHOTOGRAPH[0]))
    width, height = image.size
    margin = (height - width * SIZE[1] / SIZE[0]) / 2
    region = (0, margin, width, height - margin)
    small = image.resize(SIZE, Image.Resampling.BICUBIC, region, reducing_gap=2.0)
    written = io.BytesIO()
    small.save(written, "JPEG", quality=90)
    return written.getvalue()


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
