"""A visitor sees the same colours in a picture's variants as in the picture itself."""

import base64
import io
import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from browser.visiting import CHROMIUM, Visitor
from contract.pictures import encoded
from contract.profiles import PROFILES
from msgspec import Struct
from PIL import Image, ImageCms
from playwright.async_api import Page

from landyard_pictures.decode.box import Box
from landyard_pictures.decode.decoder import reply_to
from landyard_pictures.decode.exchange import Made, Task, Varied

MOST = 3  # levels of 255
SIZE = (400, 300)
NOISE = random.Random(1).randbytes(SIZE[0] * SIZE[1])
VIVID = [
    *((0, 0, 0), (255, 255, 255), (128, 128, 128), (58, 182, 58)),
    *((180, 60, 59), (30, 60, 200), (250, 220, 30), (60, 60, 60)),
]
# Near the edge of a screen's range one step of a lossy original becomes several.
MILD = [
    *((0, 0, 0), (255, 255, 255), (128, 128, 128), (90, 165, 90)),
    *((170, 90, 80), (110, 110, 170), (230, 205, 90), (60, 60, 60)),
]
# Each kind with its modes. Noise below the patches makes the file larger than its variants.
MODES = {
    "PNG": ["1", "L", "L, clear", "LA", "P", "P, clear", "RGB", "RGB, clear", "RGBA", "I;16"],
    "JPEG": ["L", "RGB", "CMYK"],
    "WEBP": ["L", "RGB", "RGBA"],
    "AVIF": ["L", "RGB", "RGBA"],
    "GIF": ["1", "L", "P", "P, clear"],
    "TIFF": ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I;16", "I", "F"],
}
OPTIONS: dict[str, dict[str, Any]] = {
    "PNG": {"compress_level": 0},
    "JPEG": {"quality": 100, "subsampling": "4:4:4"},
    "WEBP": {"lossless": True},
    "AVIF": {"quality": 100, "subsampling": "4:4:4"},
}
LOOK = """
async addresses => Promise.all(addresses.map(async address => {
  const image = new Image()
  image.src = address
  try { await image.decode() } catch { return null }
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  const context = canvas.getContext('2d')
  context.fillStyle = 'rgb(200 100 50)'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0)
  return Array.from({length: 8}, (_, at) => [...context.getImageData(
    (at % 4 + 0.5) * canvas.width / 4, (Math.floor(at / 4) + 0.5) * canvas.height / 3, 1, 1
  ).data].slice(0, 3))
}))
"""

Seen = list[list[int]] | None


class Case(Struct, frozen=True):
    """A picture, and the picture that a browser shows instead where it cannot show this kind."""

    name: str
    content: bytes
    kind: str
    reference: bytes
    shown_as: str


def drawn(
    mode: str,
    colours: Sequence[tuple[int, int, int]] = VIVID,
    opacities: tuple[int, int] = (36, 200),
) -> Image.Image:
    image = Image.frombytes("L", SIZE, NOISE).convert("RGB")
    for at, colour in enumerate(colours):
        left, top = at % 4 * 100, at // 4 * 100
        image.paste(colour, (left, top, left + 100, top + 100))
    name, _, clear = mode.partition(", ")
    grey = image.convert("L")
    match name:
        case "1":
            made = image.convert("1", dither=Image.Dither.NONE)
        case "P":
            made = image.quantize(64, dither=Image.Dither.NONE)
        case "LA" | "RGBA":
            made = image.convert(name)
            made.putalpha(opacity_of(opacities))
        case "I;16":
            made = grey.convert("I").point(lambda value: value * 257).convert(name)
        case "I":
            made = grey.convert("I").point(lambda value: value * 257)
        case "F":
            made = grey.convert("F").point(lambda value: value * (1 / 255) + 0)
        case "LAB":
            made = transformed(image, "sRGB", "LAB")
        case _:
            made = image.convert(name)
    if clear:
        made.info["transparency"] = made.getpixel((150, 50))
    return made


def opacity_of(columns: Sequence[int]) -> Image.Image:
    """Set the opacity of a picture: its first columns get these values, except in their first
    row.
    """
    drawn = Image.new("L", SIZE, 255)
    for at, opacity in enumerate(columns):
        drawn.paste(opacity, (at * 100, 100, at * 100 + 100, 300))
    return drawn


def cases(kind: str) -> Iterator[Case]:
    for mode in MODES[kind]:
        for name, profile in PROFILES.items():
            if kind == "GIF" and profile:
                continue
            # Of the opacities in an AVIF from Pillow, Chromium shows only 128 unchanged.
            image = drawn(mode, MILD, (128, 128)) if kind == "AVIF" else drawn(mode)
            more: dict[str, Any] = {"icc_profile": profile} if profile else {}
            more |= {key: image.info[key] for key in ("transparency",) if key in image.info}
            content = encoded(image, kind, **OPTIONS.get(kind, {}), **more)
            shown_as, reference = kind, content
            if mode in ("I", "F"):  # only TIFF has these modes
                shown_as, reference = "PNG", encoded(drawn("L"), **OPTIONS["PNG"], **more)
            elif kind == "TIFF" and mode not in ("LAB", "YCbCr"):
                shown_as = "JPEG" if mode == "CMYK" else "PNG"
                reference = encoded(image, shown_as, **OPTIONS[shown_as], **more)
            yield Case(f"{kind} {mode} {name}", content, kind, reference, shown_as)


def made_of(case: Case) -> list[tuple[str, bytes]]:
    """Every variant of a picture, and the picture as a call resized it."""
    task = Task(case.content, None, False, 50, 10**8, (200, 400), ("WEBP", "AVIF"))
    varied = reply_to(task)
    assert isinstance(varied, Varied), case.name
    assert varied.variants, case.name
    found = [(each.kind, each.content) for each in varied.variants]
    resized = reply_to(Task(case.content, Box(200, 150, 2), False, 50, 10**8))
    assert isinstance(resized, Made), case.name
    assert resized.content, case.name
    return [*found, (resized.kind, resized.content)]


def transformed(
    image: Image.Image, one: Literal["sRGB", "LAB"], to: Literal["sRGB", "LAB"]
) -> Image.Image:
    made = ImageCms.profileToProfile(
        image,
        ImageCms.createProfile(one),
        ImageCms.createProfile(to),
        outputMode=to.removeprefix("s"),
    )
    assert made is not None
    return made


def address(kind: str, content: bytes) -> str:
    if kind == "TIFF":  # no browser shows it, so Pillow reads it with its profile
        image: Image.Image = Image.open(io.BytesIO(content))
        kind = "JPEG" if image.mode == "CMYK" else "PNG"
        profile = image.info.get("icc_profile")
        match image.mode:
            case "LAB":
                image, profile = transformed(image, "LAB", "sRGB"), None
            case "F":
                image = image.point(lambda value: value * 255 + 0.5).convert("L")
            case "I":
                image = image.point(lambda value: value * (1 / 257) + 0.5).convert("L")
            case "YCbCr":
                image = image.convert("RGB")
        content = encoded(image, kind, icc_profile=profile, **OPTIONS[kind])
    return f"data:image/{kind.lower()};base64,{base64.b64encode(content).decode()}"


def apart(one: Seen, other: Seen) -> int:
    assert one is not None
    if other is None:
        return 255
    return max(
        abs(here - there)
        for mine, theirs in zip(one, other, strict=True)
        for here, there in zip(mine, theirs, strict=True)
    )


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    made = Visitor("")
    yield made
    made.close()


@pytest.mark.parametrize("kind", MODES)
def test_variants_have_the_colours_of_the_picture(visitor: Visitor, kind: str) -> None:
    far: list[str] = []
    for case in cases(kind):
        made = made_of(case)
        urls = [address(case.shown_as, case.reference), *(address(*each) for each in made)]

        async def look(page: Page, urls: list[str] = urls) -> list[Seen]:
            seen: list[Seen] = await page.evaluate(LOOK, urls)
            return seen

        (original, *others), _ = visitor.act(look)
        if original is None:  # browsers cannot show the picture itself
            assert kind == "AVIF"
            original, *others = others
        for (to, _), seen in zip(made, others, strict=False):
            if (levels := apart(original, seen)) > MOST:
                far.append(f"{case.name}, {to}: {levels} levels, {original} became {seen}")
    assert not far, "\n".join(far)
