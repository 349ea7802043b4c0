"""The accepted kinds of pictures, and the extensions of their files (U1)."""

EXTENSIONS = {
    "JPEG": ("jpg", "jpeg"),
    "PNG": ("png",),
    "GIF": ("gif",),
    "WEBP": ("webp",),
    "AVIF": ("avif",),
    "BMP": ("bmp",),
    "TIFF": ("tiff", "tif"),
    "ICO": ("ico",),
    "SVG": ("svg",),
}
"""The extensions of each kind, the usual one first."""
RASTER = tuple(kind for kind in EXTENSIONS if kind != "SVG")


class Unusable(Exception):
    """A picture that is not taken; the text says why, and is fit for the caller."""
