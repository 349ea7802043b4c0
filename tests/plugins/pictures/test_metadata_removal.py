"""The location is removed from a picture's metadata where a caller or the operator asks for it."""

import io
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import drawn, encoded, moving, served, upload
from contract.profiles import P3
from contract.worlds import one_page
from PIL import Image
from plugins.pictures.decode.bombs import segment

from landyard.testing import Service

PLACE = "54 north, on the quay behind the house"
XMP = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><GPSLatitude>{PLACE}</GPSLatitude></x:xmpmeta>'.encode()
SIDEWAYS = 6

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def exif() -> bytes:
    made = Image.Exif()
    made[0x0112], made[0x8298] = SIDEWAYS, "The harbour"
    made.get_ifd(0x8825).update({1: "N", 2: (54.0, 30.0, 0.0), 29: PLACE})
    made.get_ifd(0x8769)[0x927C] = PLACE.encode()
    return made.tobytes()


def taken() -> dict[str, bytes]:
    """Pictures with a location, by their kind and peculiarity."""
    whole: dict[str, Any] = {"exif": exif(), "icc_profile": P3}
    jpeg = encoded(drawn(), "JPEG", xmp=XMP, **whole)
    second = encoded(drawn(32, 24), "JPEG", exif=exif())
    cities = segment(0xED, b"Photoshop 3.0\0" + PLACE.encode())
    tiff: dict[str, Any] = {"icc_profile": P3, "tiffinfo": {700: XMP, 33723: PLACE.encode()}}
    return {
        "JPEG": jpeg,
        "JPEG, progressive": encoded(drawn(), "JPEG", progressive=True, comment=PLACE, **whole),
        "JPEG, cities": jpeg[:2] + cities + jpeg[2:],
        "JPEG, another behind it": jpeg + second,
        "JPEG, two of EXIF": jpeg[:2] + segment(0xE1, exif()) * 2 + jpeg[2:],
        "PNG": encoded(drawn(), "PNG", **whole),
        "PNG, moving": moving("PNG", **whole),
        "WEBP": encoded(drawn(), "WEBP", xmp=XMP, **whole),
        "WEBP, lossless": encoded(drawn(), "WEBP", xmp=XMP, lossless=True, **whole),
        "WEBP, moving": moving("WEBP", xmp=XMP, **whole),
        "AVIF": encoded(drawn(), "AVIF", xmp=XMP, **whole),
        "TIFF": encoded(drawn(), "TIFF", exif=exif(), **tiff),
        "TIFF, big": encoded(drawn(), "TIFF", exif=exif(), big_tiff=True, **tiff),
        "TIFF, pages": moving("TIFF", exif=exif(), **tiff),
        "GIF": encoded(drawn(), "GIF", comment=PLACE.encode()),
        "GIF, moving": moving("GIF", comment=PLACE.encode()),
    }


def frames(content: bytes) -> list[bytes]:
    image = Image.open(io.BytesIO(content))
    found = []
    for number in range(1 if image.format == "MPO" else getattr(image, "n_frames", 1)):
        image.seek(number)
        found.append(image.convert("RGBA").tobytes())
    return found


def said(content: bytes) -> tuple[Any, ...]:
    """Read the metadata that must stay: orientation, colour profile, loops."""
    image = Image.open(io.BytesIO(content))
    return image.getexif().get(0x0112), image.info.get("icc_profile"), image.info.get("loop")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page())


@pytest.mark.parametrize("name", taken())
def test_the_location_is_removed_and_the_picture_stays(service: Service, name: str) -> None:
    content = taken()[name]
    assert PLACE.encode() in content

    kept = served(service, upload(service, content, params={"remove_location": "Y"}))

    assert PLACE.encode() not in kept
    image = Image.open(io.BytesIO(kept))
    assert not image.getexif().get_ifd(0x8825)
    assert (frames(kept), said(kept)) == (frames(content), said(content))
    if name.startswith(("JPEG", "PNG", "WEBP")):
        assert image.getexif()[0x8298] == "The harbour"


def test_U2_a_picture_keeps_its_bytes_unless_removal_is_requested(service: Service) -> None:
    content = taken()["JPEG"]

    assert served(service, upload(service, content)) == content
    assert served(service, upload(service, content, params={"remove_location": "N"})) == content


def test_the_operator_may_have_the_location_removed_from_all_uploads(
    make_service: MakeService,
) -> None:
    service = make_service(world=one_page(), uploads={"remove_location": True})
    content = taken()["JPEG"]
    box = {"width": 500, "height": 500}  # the picture is smaller than the box and keeps its size

    assert PLACE.encode() not in served(service, upload(service, content))
    assert PLACE.encode() not in served(service, upload(service, content, params=box))
    assert served(service, upload(service, content, params={"remove_location": False})) == content


def test_a_picture_without_metadata_keeps_its_bytes(service: Service) -> None:
    for kind in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF", "GIF", "BMP", "ICO"):
        content = encoded(drawn(), kind)

        assert (
            served(service, upload(service, content, params={"remove_location": "Y"})) == content
        ), kind
