"""Pictures to upload, and helpers that fetch the stored results."""

import base64
import io
import os
from pathlib import Path
from typing import Any

import pytest
from contract.worlds import DRAFT
from PIL import Image

from landyard.testing import Answer, Service
from landyard_content.files import file_store
from landyard_content.files.folder_store import FolderStore

on_folder = pytest.mark.skipif(
    "LANDYARD_TEST_FILES" in os.environ, reason="about the files of a folder, not of a bucket"
)

METHOD = "landing.block.uploadfile"
KINDS = {
    "JPEG": ("jpg", "image/jpeg"),
    "PNG": ("png", "image/png"),
    "GIF": ("gif", "image/gif"),
    "WEBP": ("webp", "image/webp"),
    "AVIF": ("avif", "image/avif"),
    "BMP": ("bmp", "image/bmp"),
    "TIFF": ("tiff", "image/tiff"),
    "ICO": ("ico", "image/x-icon"),
}


def drawn(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    """A picture with four differently coloured corners: red, green, blue and grey."""
    image = Image.new("RGB", (width, height), (128, 128, 128))
    image.paste((255, 0, 0), (0, 0, width // 2, height // 2))
    image.paste((0, 255, 0), (width // 2, 0, width, height // 2))
    image.paste((0, 0, 255), (0, height // 2, width // 2, height))
    return image.convert(mode)


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    written = io.BytesIO()
    if kind == "ICO":
        options = {"sizes": [image.size], **options}
    image.save(written, kind, **options)
    return written.getvalue()


def moving(kind: str, count: int = 3, size: tuple[int, int] = (60, 40), **options: Any) -> bytes:
    """An endless animation, 100 ms a frame."""
    frames = [Image.new("RGB", size, (50 * number, 0, 255)) for number in range(count)]
    more = {"save_all": True, "append_images": frames[1:], "duration": 100, "loop": 0}
    return encoded(frames[0], kind, **more, **options)


def picture(content: bytes, name: str = "picture.png") -> list[str]:
    """The array form of a picture parameter: name and Base64."""
    return [name, base64.b64encode(content).decode()]


PNG = encoded(drawn())


def upload(
    service: Service, content: bytes = PNG, name: str = "picture.png", **more: Any
) -> Answer:
    return service.call(METHOD, {"block": DRAFT, "picture": picture(content, name), **more})


def served(service: Service, answer: Answer) -> bytes:
    """Fetch the bytes at the address that an upload answered."""
    got = service.get(answer.result["src"])
    assert got.status_code == 200
    return got.content


def shown(service: Service, answer: Answer) -> Image.Image:
    image = Image.open(io.BytesIO(served(service, answer)))
    image.load()
    return image


def files(service: Service) -> dict[str, bytes]:
    """Every file in the store, by its relative path in a folder."""
    store = file_store(service.kernel)
    if not isinstance(store, FolderStore):
        return {
            f"{each.key[:2]}/{each.key}.{each.name}": store.read(each.key, each.name)
            for each in store.listing()
        }
    root = store.root
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def is_stored(service: Service, src: str) -> bool:
    """Tell whether the store has the file, also in place of a row."""
    key, name = src.split("/")[-2:]
    try:
        file_store(service.kernel).size(key, name)
    except FileNotFoundError:
        return False
    return True


def stored_path(service: Service, src: str) -> Path:
    key, name = src.split("/")[-2:]
    return service.kernel.settings.data / "files" / key[:2] / f"{key}.{name}"
