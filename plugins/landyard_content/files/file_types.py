"""The content types of uploaded files."""

FILE_TYPES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "tiff": "image/tiff",
    "tif": "image/tiff",
    "ico": "image/x-icon",
    "svg": "image/svg+xml",
}
"""The content type of a file by its extension, which is chosen by the content (U1)."""


def type_of(name: str) -> str:
    """Return the content type of a file by its name."""
    return FILE_TYPES.get(name.rpartition(".")[2], "application/octet-stream")
