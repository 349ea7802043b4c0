"""The decoder's work, run in this process: measuring pictures and making them smaller (U3, U4)."""

import io
import time
import warnings
from collections.abc import Iterator

import pytest
from contract.pictures import PNG, drawn, encoded, moving
from contract.profiles import P3
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps
from plugins.pictures.decode.bombs import icon, png
from plugins.pictures.decode.corpus import cases

from landyard_pictures.decode.box import Box
from landyard_pictures.decode.decoder import reply_to
from landyard_pictures.decode.exchange import (
    LENGTH,
    Made,
    Refused,
    Task,
    head_of,
    next_task,
    packed,
    reply,
)
from landyard_pictures.decode.frames import frames_of, opened
from landyard_pictures.decode.kinds import Unusable
from landyard_pictures.decode.resizing import resized

SIDES = st.integers(1, 9000)


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore Pillow's pixel limit, which is global to the process."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
        yield


def asked(content: bytes, box: Box | None = None, megapixels: int = 50) -> Made | Refused:
    answer = reply_to(Task(content, box, allow_svg=False, megapixels=megapixels, most_bytes=10**7))
    assert isinstance(answer, Made | Refused)
    return answer


@pytest.mark.rule("U1", "U3")
@pytest.mark.parametrize("box", [None, Box(8, 8, 0), Box(9, 7, 2)])
def test_the_corpus_is_the_same_in_any_process(box: Box | None) -> None:
    corpus = {name: case for name, case in cases().items() if not name.startswith("bomb")}
    answers = {name: asked(case.content, box) for name, case in corpus.items()}

    kinds = {
        name: answer.kind if isinstance(answer, Made) else None for name, answer in answers.items()
    }
    assert kinds == {name: case.kind for name, case in corpus.items()}


@pytest.mark.rule("U4")
def test_U4_the_pixel_limit_is_exact() -> None:
    assert asked(encoded(Image.new("L", (1000, 1000))), megapixels=1) == Made("PNG", None)
    assert isinstance(asked(encoded(Image.new("L", (1000, 1001))), megapixels=1), Refused)
    assert isinstance(asked(png(1001, 1000), megapixels=1), Refused)
    assert isinstance(asked(moving("WEBP", 2, (1000, 600)), megapixels=1), Refused)


@pytest.mark.rule("U4")
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "AVIF"])
def test_U4_frames_are_counted_before_one_is_decoded(kind: str) -> None:
    content = moving(kind, 3, (700, 700))

    with pytest.raises(Unusable), opened(content, 1) as picture:
        next(frames_of(picture, 1))


def test_a_resized_picture_is_no_larger_than_wanted() -> None:
    given_ = Task(PNG, Box(500, 500, 2), allow_svg=False, megapixels=50, most_bytes=500)

    assert isinstance(reply_to(given_), Refused)


def test_a_decoder_does_not_survive_a_lack_of_memory() -> None:
    with pytest.raises(MemoryError), opened(PNG, 50):
        raise MemoryError


@pytest.mark.parametrize("megapixels", [1, 50])
def test_an_open_picture_that_fails_is_unusable(megapixels: int) -> None:
    with pytest.raises(Unusable), opened(PNG, megapixels):
        raise KeyError("whatever a reader comes upon")


@pytest.mark.rule("U3")
@given(width=SIDES, height=SIDES, box=st.builds(Box, SIDES, SIDES, st.sampled_from([0, 1, 2])))
def test_U3_sizes_and_regions(width: int, height: int, box: Box) -> None:
    across, down = box.size(width, height)
    left, top, right, bottom = box.region(width, height)

    assert 0 <= left < right <= width
    assert 0 <= top < bottom <= height
    if box.way == 2:
        assert (across, down) == (box.width, box.height)
        assert (right - left) / (bottom - top) == pytest.approx(box.width / box.height)
        assert left + right == pytest.approx(width)
        assert top + bottom == pytest.approx(height)
    else:
        assert (left, top, right, bottom) == (0, 0, width, height)
        assert across <= width
        assert down <= height
    if box.way == 0:
        assert across <= box.width
        assert down <= box.height
    assert box.lying().size(height, width) == (down, across) or (box.way == 1 and width == height)


@pytest.mark.rule("U3")
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("side", [20, 100, 250])
def test_U3_a_photograph_is_decoded_no_larger_than_necessary(orientation: int, side: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    content = encoded(drawn(800, 400), "JPEG", exif=exif.tobytes(), quality=95)

    small, _ = resized(content, Box(side, side, 2), 50)
    slowly, _ = resized(encoded(_upright(content)), Box(side, side, 2), 50)

    made, wanted = (Image.open(io.BytesIO(each)).convert("RGB") for each in (small, slowly))
    assert made.size == (side, side)
    tenth = side // 10
    for at in ((tenth, tenth), (side - tenth, tenth), (tenth, side - tenth)):
        here, there = made.getpixel(at), wanted.getpixel(at)
        assert isinstance(here, tuple)
        assert isinstance(there, tuple)
        assert all(abs(one - other) < 25 for one, other in zip(here, there, strict=True))


@pytest.mark.rule("U3")
def test_U3_a_grey_icon_stays_transparent() -> None:
    grey = Image.new("LA", (32, 32), (200, 0))

    small, kind = resized(icon(encoded(grey), 32), Box(16, 16, 0), 50)

    assert kind == "ICO"
    alpha = Image.open(io.BytesIO(small)).convert("RGBA").getchannel("A")
    assert alpha.getextrema() == (0, 0)


@pytest.mark.rule("U3")
@pytest.mark.parametrize("lossless", [True, False])
@pytest.mark.parametrize("of", ["a profile", "alpha and a profile", "an animation"])
def test_U3_a_lossless_picture_stays_lossless_whatever_was_decoded_before(
    lossless: bool, of: str
) -> None:
    image = drawn(80, 80, "RGBA" if of.startswith("alpha") else "RGB")
    image.putpixel((0, 0), (1, 2, 3, 4)[: len(image.getbands())])
    if of == "an animation":
        content = moving("WEBP", 2, lossless=lossless)
    else:
        content = encoded(image, "WEBP", lossless=lossless, icc_profile=P3)

    small, _ = resized(content, Box(8, 8, 0), 50)

    assert b"VP8X" in small
    assert (b"VP8L" in small) is lossless


@pytest.mark.rule("U4")
def test_a_large_avif_is_written_in_a_fraction_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("landyard_pictures.decode.resizing._HASTE", 1_000_000)
    content = encoded(Image.effect_noise((40, 40), 60).convert("RGB"), "AVIF")
    began = time.process_time()
    resized(content, Box(990, 1000, 2), 50)
    slowly, began = time.process_time() - began, time.process_time()
    resized(content, Box(1010, 1000, 2), 50)

    assert time.process_time() - began < slowly / 2


def _upright(content: bytes) -> Image.Image:
    return ImageOps.exif_transpose(Image.open(io.BytesIO(content)))


def test_messages_arrive_as_they_were_sent() -> None:
    wanted = Task(PNG, Box(1, 2, 0), allow_svg=True, megapixels=5, most_bytes=6)

    assert next_task(io.BytesIO(head_of(wanted) + wanted.content)) == wanted
    for answer in (Made("PNG", None), Made("GIF", b"x"), Refused("no")):
        assert reply(packed(answer)[LENGTH:]) == answer
