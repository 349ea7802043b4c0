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
"""The kinds as a refusal names them. SVG is another where the operator allows it."""

# Other files that people send as pictures: an offset, the bytes there, the name of the kind.
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
    """Say what a file is that is not taken, as far as that is known, and what is taken instead."""
    name = next((name for at, begun, name in _OTHERS if content.startswith(begun, at)), None)
    if name is None:
        return f"The file is not a picture that can be read. Taken are {TAKEN}."
    hint = " A phone saves JPEG when its camera is set to “Most compatible”." * (name == "HEIC")
    return f"{name} is not taken. Taken are {TAKEN}.{hint}"


def in_megabytes(count: int) -> str:
    """Write a number of bytes for people: in MB, a small one in kB, a tiny one in bytes."""
    for unit, size in (("MB", 1024 * 1024), ("kB", 1024)):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count} bytes"


def too_large(count: int, most: int) -> str:
    """Say that a picture of so many bytes is too large, and what to do about it."""
    return (
        f"The picture has {in_megabytes(count)}, and at most {in_megabytes(most)} are taken."
        " Make it smaller, or save it as a JPEG."
    )


class Unusable(Exception):
    """A picture that is not taken; the text says why, and is fit for the caller."""
