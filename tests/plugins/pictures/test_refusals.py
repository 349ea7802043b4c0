"""A refused upload names the accepted kinds, and sizes in MB."""

import struct

import pytest
from conftest import MakeService
from contract.pictures import encoded, upload
from contract.worlds import one_page
from PIL import Image
from tables import for_each

from landyard.testing import Service

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def box(brand: bytes) -> bytes:
    return struct.pack(">I", 24) + b"ftyp" + brand + bytes(8) + b"mif1" + bytes(400)


OTHERS = [
    (box(b"heic"), "HEIC"),
    (box(b"heix"), "HEIC"),
    (box(b"mif1"), "HEIC"),
    (box(b"qt  "), "film"),
    (b"8BPS\0\1" + bytes(300), "PSD"),
    (b"%PDF-1.7\n%%EOF", "PDF"),
    (b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(90), "JPEG 2000"),
    (b"just text", "not a readable picture"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page())


@for_each("content, name", OTHERS)
def test_a_refused_kind_is_named_with_the_accepted_ones(
    service: Service, content: bytes, name: str
) -> None:
    answer = upload(service, content)

    assert answer.error == "FILE_ERROR"
    message = answer.body["error_description"]
    assert name in message
    assert all(kind in message for kind in ("JPEG", "PNG", "WebP", "AVIF"))


def test_an_oversized_picture_is_refused_with_its_size_and_the_limit(
    make_service: MakeService,
) -> None:
    service = make_service(world=one_page(), uploads={"max_bytes": 2 * 1024 * 1024})
    large = encoded(Image.new("RGB", (1000, 1000)), "BMP")

    answer = upload(service, large)

    assert answer.error == "FILE_ERROR"
    assert "2.9 MB" in answer.body["error_description"]
    assert "2 MB" in answer.body["error_description"]
