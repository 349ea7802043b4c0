"""A photograph of twelve megapixels is resized: a whole call compared with direct use of Pillow."""

import base64
import functools
import io
import time
from collections.abc import Callable
from typing import Any

from bench.contest import Bench
from bench.figures import Figure, figure
from bench.scenarios import UPLOADFILE
from bench.sending import post, send_all
from bench.servers import serving
from bench.world import BLOCKS
from PIL import Image

UPLOAD_BAR = 1.3  # times Pillow's fastest way
SIZE = (1200, 675)
_PHOTOGRAPH = (4000, 3000)
_TIMES = 7


def uploading(bench: Bench) -> list[Figure]:
    """Return our time divided by Pillow's, measured in turn."""
    picture = photograph()
    sent = [post(UPLOADFILE.path, upload_of(picture, BLOCKS[3]))]
    with serving(bench.cores, bench.folder, bench.env) as (port, _):

        def call() -> None:
            send_all(port, sent)

        call()  # starts a decoder
        ours, theirs = [], []
        for _ in range(_TIMES):
            ours.append(_seconds(call))
            theirs.append(_seconds(lambda: _fastest(picture)))
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return [
        figure(
            "upload",
            "uploadfile of 12 megapixels, of Pillow's draft path",
            ratios,
            bar=UPLOAD_BAR,
            at_most=True,
            note=f"{min(ours) * 1000:.0f} ms, {min(theirs) * 1000:.0f} ms at best",
        )
    ]


@functools.cache
def photograph() -> bytes:
    """A picture with shapes and grain, about 3 MB as a camera writes it."""
    grain = Image.effect_noise((1000, 750), 60).resize(_PHOTOGRAPH)
    light = Image.radial_gradient("L").resize(_PHOTOGRAPH)
    image = Image.merge("RGB", (grain, light, Image.blend(grain, light, 0.5)))
    written = io.BytesIO()
    image.save(written, "JPEG", quality=92)
    return written.getvalue()


def upload_of(picture: bytes, block: int) -> dict[str, Any]:
    """Write the parameters of an upload that is cropped to `SIZE`."""
    box = {"width": SIZE[0], "height": SIZE[1], "resize_type": 2}
    return {
        "block": block,
        "picture": ["a.jpg", base64.b64encode(picture).decode()],
        "params": box,
    }


def _fastest(picture: bytes) -> bytes:
    """Let the codec decode at half size, crop, scale with the cheaper filter, and write."""
    image = Image.open(io.BytesIO(picture))
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
