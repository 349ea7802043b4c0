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


TAKEN = "JPEG, PNG, GIF, WebP, AVIF, BMP, TIFF and ICO"
"""The accepted kinds in error texts; SVG is one more if the operator allows it."""

# Other files that people upload as pictures: an offset, the bytes there, the kind's name.
_OTHERS = (
    (4, (b"ftyphei", b"ftyphev", b"ftypmif1", b"ftypmsf1"), "HEIC"),
    (4, (b"ftyp",), "A film"),
    (0, (b"8BPS",), "PSD"),
    (0, (b"%PDF",), "PDF"),
    (0, (b"\0\0\0\x0cjP  ", b"\xffO\xffQ"), "JPEG 2000"),
    (0, (b"\xff\n", b"\0\0\0\x0cJXL "), "JPEG XL"),
    (0, (b"\x1aE\xdf\xa3",), "A film"),
    (0, (b"%!PS",), "PostScript"),
)


def refusal_of(content: bytes) -> str:
    """Return the error text for a refused file: its kind, if known, and the accepted kinds."""
    name = next((name for at, starts, name in _OTHERS if content.startswith(starts, at)), None)
    if name is None:
        return f"The file is not a readable picture. Accepted are {TAKEN}."
    hint = " A phone saves JPEG when its camera is set to “Most compatible”." * (name == "HEIC")
    return f"{name} is not accepted. Accepted are {TAKEN}.{hint}"


def in_megabytes(count: int) -> str:
    """Return a number of bytes as text for people, in MB, kB or bytes."""
    for unit, size in (("MB", 1024 * 1024), ("kB", 1024)):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count} bytes"


def too_large(count: int, most: int) -> str:
    """Return the error text for a picture that is too large, with advice."""
    return (
        f"The picture has {in_megabytes(count)}, but at most {in_megabytes(most)} are accepted."
        " Make it smaller, or save it as a JPEG."
    )


class Unusable(Exception):
    """A picture is refused; the text gives the reason, for the caller."""
