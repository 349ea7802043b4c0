"""`landing.block.uploadfile`: kinds, sizes and limits of pictures (U1 to U4)."""

import io
import struct
import zlib
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import (
    KINDS,
    METHOD,
    PNG,
    drawn,
    encoded,
    files,
    moving,
    served,
    shown,
    upload,
)
from contract.profiles import GREY, P3, PRINTER, SRGB
from contract.rules import rows
from contract.worlds import one_page, stored
from corpora import read_cases, read_data
from PIL import Image
from tables import for_each

from landyard.testing import Service

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

EXIF_ORIENTATION = 0x0112


def resized(service: Any, content: bytes, width: int, height: int, way: Any = None) -> Image.Image:
    params = {"width": width, "height": height}
    if way is not None:
        params["resize_type"] = way
    return shown(service, upload(service, content, params=params))


def near(pixel: Any, wanted: tuple[int, ...]) -> bool:
    return all(abs(is_ - want) <= 40 for is_, want in zip(pixel, wanted, strict=True))


def frames(image: Image.Image) -> list[tuple[tuple[int, int], int, Any]]:
    """The size, duration and middle pixel of every frame."""
    found = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        image.load()
        middle = image.convert("RGB").getpixel((image.width // 2, image.height // 2))
        found.append((image.size, round(image.info.get("duration", 0)), middle))
    return found


def bomb(width: int, height: int) -> bytes:
    """A small PNG file that declares a huge picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows_ = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows_) + chunk(b"IEND", b"")
    )


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page())


@pytest.mark.rule("U1", "U2", "H4")
@pytest.mark.parametrize("kind", KINDS)
def test_U1_every_kind_is_stored_and_served_unchanged(service: Service, kind: str) -> None:
    content = encoded(drawn(), kind)

    answer = upload(service, content, "x.txt")

    extension, media = KINDS[kind]
    assert answer.result["src"].endswith(f"/x.{extension}")
    got = service.get(answer.result["src"])
    assert (got.content, got.headers["content-type"]) == (content, media)


@pytest.mark.rule("U1")
def test_U1_a_jpeg_with_more_pictures_behind_it_is_a_jpeg(service: Service) -> None:
    written = io.BytesIO()
    drawn().save(written, "MPO", save_all=True, append_images=[drawn(32, 24)])

    answer = upload(service, written.getvalue(), params={"width": 32, "height": 32})

    assert answer.result["src"].endswith(".jpg")
    assert (shown(service, answer).format, shown(service, answer).size) == ("JPEG", (32, 24))


@pytest.mark.rule("U1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("kind", ["PPM", "TGA", "PCX", "ICNS", "SGI"])
def test_U1_other_kinds_are_refused(service: Service, kind: str) -> None:
    assert upload(service, encoded(drawn(64, 64), kind)).error == "FILE_ERROR"


@pytest.mark.rule("U1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("kind", KINDS)
def test_truncated_pictures_are_refused(service: Service, kind: str) -> None:
    content = encoded(drawn(200, 200), kind)

    for share in (0.02, 0.3, 0.6, 0.9):
        cut = content[: max(4, int(len(content) * share))]
        assert upload(service, cut).error == "FILE_ERROR"
        assert upload(service, cut, params={"width": 9, "height": 9}).error == "FILE_ERROR"
    assert files(service) == {}


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("size", [(30000, 30000), (8000, 7000), (2**31 - 1, 1), (50_000_001, 1)])
def test_U4_a_bomb_is_refused(service: Service, size: tuple[int, int]) -> None:
    assert upload(service, bomb(*size)).error == "FILE_ERROR"
    small = {"width": 10, "height": 10}
    assert upload(service, bomb(*size), params=small).error == "FILE_ERROR"


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
def test_U4_a_bomb_inside_an_icon_is_refused(service: Service) -> None:
    inner = bomb(20000, 20000)
    header = struct.pack("<HHH", 0, 1, 1) + struct.pack(
        "<BBBBHHII", 16, 16, 0, 0, 1, 32, len(inner), 22
    )

    assert upload(service, header + inner).error == "FILE_ERROR"


@pytest.mark.rule("U4")
def test_U4_the_megapixel_limit_is_exact_to_the_pixel(make_service: MakeService) -> None:
    service = make_service(world=one_page(), uploads={"max_megapixels": 1})

    assert upload(service, encoded(Image.new("L", (1000, 1000)))).error is None
    assert upload(service, encoded(Image.new("L", (1000, 1001)))).error == "FILE_ERROR"


@pytest.mark.rule("U4")
@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "AVIF", "TIFF"])
def test_U4_megapixels_count_over_all_frames(make_service: MakeService, kind: str) -> None:
    service = make_service(world=one_page(), uploads={"max_megapixels": 1})

    assert upload(service, moving(kind, 2, (700, 700))).error is None
    assert upload(service, moving(kind, 3, (700, 700))).error == "FILE_ERROR"


@pytest.mark.rule("U4")
def test_U4_many_tiny_frames_are_too_many(make_service: MakeService) -> None:
    service = make_service(world=one_page(), uploads={"max_megapixels": 1})

    assert upload(service, moving("GIF", 5, (4, 4))).error is None
    many = b"".join(
        b"\x21\xf9\x04\x00\x01\x00\x00\x00\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
        for _ in range(200)
    )
    head = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"
    assert upload(service, head + many + b";").error == "FILE_ERROR"


BOXES = read_cases(__file__, "BOXES", tuple[tuple[int, int], tuple[int, int], Any, tuple[int, int]])


@pytest.mark.rule(
    "U3", "limit: resize", *rows(METHOD, "params.width params.height params.resize_type")
)
@pytest.mark.parametrize(("size", "box", "way", "result"), BOXES)
def test_U3_a_picture_is_resized_to_the_asked_size(
    service: Service,
    size: tuple[int, int],
    box: tuple[int, int],
    way: Any,
    result: tuple[int, int],
) -> None:
    assert resized(service, encoded(drawn(*size)), *box, way).size == result


@pytest.mark.rule("U3")
@pytest.mark.parametrize("way", [0, 1])
def test_U3_a_small_enough_picture_keeps_its_bytes(service: Service, way: int) -> None:
    params = {"width": 500, "height": 500, "resize_type": way}

    assert served(service, upload(service, params=params)) == PNG


@pytest.mark.rule("U3")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", [0, 1, 2])
def test_U3_resizing_keeps_the_kind_of_picture(service: Service, kind: str, way: int) -> None:
    image = resized(service, encoded(drawn(80, 80), kind), 40, 40, way)

    assert (image.format, image.size) == (kind, (40, 40))
    corners = [image.convert("RGB").getpixel(at) for at in ((5, 5), (35, 5), (5, 35))]
    assert all(map(near, corners, [(255, 0, 0), (0, 255, 0), (0, 0, 255)]))


@pytest.mark.rule("U3")
def test_U3_an_exact_box_is_cut_around_the_centre(service: Service) -> None:
    image = Image.new("RGB", (90, 30), "red")
    image.paste((0, 0, 255), (30, 0, 60, 30))

    cut = resized(service, encoded(image), 10, 10, 2).convert("RGB")

    assert all(near(cut.getpixel((x, 5)), (0, 0, 255)) for x in (1, 5, 8))


@pytest.mark.rule("U3")
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_U3_orientation_is_honoured_before_measuring(
    service: Service, kind: str, orientation: int
) -> None:
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = orientation
    content = encoded(drawn(80, 40), kind, exif=exif.tobytes())
    upright = (40, 80) if orientation > 4 else (80, 40)
    at_top_left = ["red", "lime", "grey", "blue", "red", "blue", "grey", "lime"]

    image = resized(service, content, 20, 20, 0)

    assert image.size == (upright[0] // 4, upright[1] // 4)
    assert image.getexif().get(EXIF_ORIENTATION, 1) == 1
    colours = {"red": (255, 0, 0), "lime": (0, 255, 0), "blue": (0, 0, 255), "grey": (128,) * 3}
    assert near(image.convert("RGB").getpixel((2, 2)), colours[at_top_left[orientation - 1]])


@pytest.mark.rule("U3")
@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "AVIF"])
@pytest.mark.parametrize("way", [0, 1, 2])
def test_U3_animation_survives(service: Service, kind: str, way: int) -> None:
    content = moving(kind, 4, (60, 40))

    image = resized(service, content, 30, 20, way)

    shown_frames = frames(image)
    assert [frame[:2] for frame in shown_frames] == [((30, 20), 100)] * 4
    assert all(near(frame[2], (50 * at, 0, 255)) for at, frame in enumerate(shown_frames))
    if kind != "AVIF":
        assert image.info["loop"] == 0


@pytest.mark.rule("U3")
@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_U3_transparent_animation_survives(service: Service, kind: str) -> None:
    pictures = []
    for at in range(3):
        image = Image.new("RGBA", (60, 20), (0, 0, 0, 0))
        image.paste((255, 0, 0, 255), (20 * at, 0, 20 * at + 20, 20))
        # otherwise a WebP made of rectangles reports no alpha channel
        image.putpixel((0, 0), (255, 0, 0, 255))
        image.putpixel((59, 19), (255, 0, 0, 255))
        pictures.append(image)
    more = {"save_all": True, "append_images": pictures[1:], "duration": [50, 100, 150]}
    content = encoded(pictures[0], kind, loop=2, disposal=2, **more)

    image = resized(service, content, 30, 10, 0)

    opaque = []
    for at in range(3):
        image.seek(at)
        alpha: Any = image.convert("RGBA").getchannel("A")
        opaque.append([alpha.getpixel((x, 5)) > 128 for x in (5, 15, 25)])
        assert image.info["duration"] == 50 * (at + 1)
    assert opaque == [[True, False, False], [False, True, False], [False, False, True]]
    assert image.info["loop"] == 2


MODES = read_data(__file__, "MODES", list[tuple[str, str, tuple[int, int, int] | None]])


@pytest.mark.rule("U3")
@pytest.mark.parametrize(("kind", "mode", "colour"), MODES)
def test_U3_every_mode_is_resized(
    service: Service, kind: str, mode: str, colour: tuple[int, ...] | None
) -> None:
    if mode == "LAB":
        image = Image.new("LAB", (80, 80), (120, 30, 200))
    else:
        image = drawn(80, 80).convert("L" if mode in "IF" else "RGB").convert(mode)

    small = resized(service, encoded(image, kind), 40, 40, 2)

    assert (small.format, small.size) == (kind, (40, 40))
    if colour is not None:
        assert near(small.convert("RGB").getpixel((8, 8)), colour)


@pytest.mark.rule("U3")
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_U3_sixteen_bits_stay(service: Service, kind: str) -> None:
    small = resized(service, encoded(Image.new("I;16", (80, 80), 40000), kind), 40, 40)

    assert (small.mode, small.getpixel((20, 20))) == ("I;16", 40000)


@pytest.mark.rule("U3")
def test_U3_sixteen_bits_of_the_other_order_stay(service: Service) -> None:
    content = encoded(Image.new("I;16B", (80, 80), 40000), "TIFF")

    small = resized(service, content, 40, 40)

    assert small.getpixel((20, 20)) == 40000


@pytest.mark.rule("U3")
@pytest.mark.parametrize("mode", ["P", "RGB"])
def test_U3_a_transparent_colour_stays_transparent(service: Service, mode: str) -> None:
    image = Image.new("RGB", (80, 80), "red")
    image.paste((0, 0, 255), (40, 0, 80, 80))
    image = image.convert(mode, palette=Image.Palette.ADAPTIVE)
    clear = image.getpixel((70, 40))

    small = resized(service, encoded(image, transparency=clear), 40, 40).convert("RGBA")

    alpha = small.getchannel("A")
    assert (alpha.getpixel((5, 20)), alpha.getpixel((35, 20))) == (255, 0)


@pytest.mark.rule("U3")
def test_U3_only_the_colour_profile_is_kept_of_the_metadata(service: Service) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    content = encoded(drawn(), "JPEG", exif=exif.tobytes(), icc_profile=P3)

    small = resized(service, content, 32, 32)

    assert small.info["icc_profile"] == P3
    assert dict(small.getexif()) == {}


@pytest.mark.rule("U3")
@for_each("profile", [b"any profile", SRGB[:200], SRGB[:-4], GREY, PRINTER])
def test_U3_a_profile_that_browsers_ignore_is_left_out(service: Service, profile: bytes) -> None:
    for kind in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF"):
        small = resized(service, encoded(drawn(), kind, icc_profile=profile), 32, 32)

        assert "icc_profile" not in small.info, kind
        assert near(small.convert("RGB").getpixel((5, 5)), (255, 0, 0)), kind


@pytest.mark.rule("U3")
def test_U3_a_lossless_picture_stays_lossless(service: Service) -> None:
    content = encoded(drawn(80, 80), "WEBP", lossless=True)

    answer = upload(service, content, params={"width": 40, "height": 40})

    assert b"VP8L" in served(service, answer)[:64]


@pytest.mark.rule("U3", "U1")
def test_U3_an_icon_that_outgrows_icons_is_a_png(service: Service) -> None:
    params = {"width": 300, "height": 300, "resize_type": 2}

    answer = upload(service, encoded(drawn(64, 64), "ICO"), "a.ico", params=params)

    assert answer.result["src"].endswith("/a.png")
    assert (shown(service, answer).format, shown(service, answer).size) == ("PNG", (300, 300))


@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
def test_U4_an_animation_cannot_be_blown_up(service: Service) -> None:
    params = {"width": 8192, "height": 8192, "resize_type": 2}

    assert upload(service, moving("GIF", 2, (4, 4)), params=params).error == "FILE_ERROR"


@pytest.mark.rule("U2")
def test_the_row_describes_the_stored_picture(service: Service) -> None:
    upload(service, params={"width": 8, "height": 8})

    (content,) = files(service).values()
    assert stored(service, "landing_file")[0]["size"] == len(content)
