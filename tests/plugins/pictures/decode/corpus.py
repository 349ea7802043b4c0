"""Files that callers send as pictures, and the kind that each must be recognised as; None means
refused.
"""

import functools
import io
import struct
import zipfile
from typing import Any

from contract.pictures import KINDS, drawn, encoded, moving
from corpora import read_data
from msgspec import Struct
from PIL import Image, ImageCms
from plugins.pictures.decode.bombs import (
    SIGNATURE,
    bombs,
    chunk,
    segment,
    small_png,
    tiff,
    tiff_tags,
)

SCRIPT = b"<html><body><script>alert(document.domain)</script></body></html>"
MARK = b"planted-in-the-picture"
SHARES = (0.05, 0.25, 0.5, 0.75, 0.9)
SIGNATURES = {
    "JPEG": b"\xff\xd8\xff",
    "PNG": SIGNATURE,
    "GIF": b"GIF89a",
    "WEBP": b"RIFF\x10\0\0\0WEBPVP8 ",
    "AVIF": b"\0\0\0\x1cftypavif",
    "BMP": b"BM",
    "TIFF": b"II*\0",
    "ICO": b"\0\0\1\0\1\0",
}


class Case(Struct, frozen=True):
    """A file and the kind it must be recognised as; `name` is its sent name."""

    content: bytes
    kind: str | None
    name: str = "picture.png"


@functools.cache
def cases() -> dict[str, Case]:
    """The whole corpus."""
    found = {f"bomb: {name}": Case(content, None) for name, content in bombs().items()}
    found |= {f"no picture: {name}": Case(content, None) for name, content in _others().items()}
    found |= {f"polyglot: {name}": case for name, case in polyglots().items()}
    found |= {f"metadata: {name}": case for name, case in marked().items()}
    found |= {f"odd: {name}": Case(content, kind) for (kind, name), content in _odd().items()}
    for kind, whole in plain().items():
        for share in SHARES:
            cut = whole[: int(len(whole) * share)]
            found[f"truncated: {kind}, {share:.0%}"] = Case(cut, None)
        found[f"truncated: {kind}, signature alone"] = Case(SIGNATURES[kind], None)
        found[f"name: {kind} as HTML"] = Case(whole, kind, "page.html")
        found[f"name: {kind} as another"] = Case(whole, kind, "a.gif" if kind != "GIF" else "a.jpg")
    for number in range(1, 9):
        found[f"orientation: {number}"] = Case(_turned(number), "JPEG")
    return found


def plain() -> dict[str, bytes]:
    """One picture of each kind."""
    return {kind: encoded(drawn(200, 160), kind) for kind in KINDS}


def polyglots() -> dict[str, Case]:
    """Pictures that are valid files of another kind too; the start of the file decides."""
    archive = _archive()
    found = {
        f"{kind} and then {name}": Case(encoded(drawn(), kind) + tail, kind)
        for kind in KINDS
        for name, tail in {"HTML": SCRIPT, "ZIP": archive}.items()
    }
    jpeg = encoded(drawn(), "JPEG")
    gif = encoded(drawn(), "GIF")
    return found | {
        "JPEG and then PDF": Case(jpeg + b"%PDF-1.7\n%%EOF", "JPEG"),
        "JPEG with HTML as comment": Case(encoded(drawn(), "JPEG", comment=SCRIPT), "JPEG"),
        "JPEG with PHP in EXIF": Case(_exif(b"<?php phpinfo(); ?>"), "JPEG"),
        "JPEG with a script's comment": Case(
            jpeg[:2] + segment(0xE0, b"/*" * 6000) + jpeg[2:] + b"*/=alert(1)", "JPEG"
        ),
        "GIF with a script behind": Case(gif + b"*/=1;alert(1)", "GIF"),
        "GIF with HTML as comment": Case(encoded(drawn(), "GIF", comment=SCRIPT), "GIF"),
        "GIF and JAR": Case(gif + archive, "GIF", "applet.jar"),
        "PNG with HTML as text": Case(small_png(chunk(b"tEXt", b"k\0" + SCRIPT)), "PNG"),
        "PNG with a chunk of its own": Case(small_png(chunk(b"ruSt", SCRIPT)), "PNG"),
        "PDF and then JPEG": Case(b"%PDF-1.7\n" + jpeg, None),
        "HTML and then GIF": Case(SCRIPT + gif, None),
        "ZIP and then PNG": Case(archive + small_png(), None),
        "program and then PNG": Case(b"MZ" + bytes(60) + small_png(), None),
        "line and then PNG": Case(b"\n" + small_png(), None),
        "HTML that says GIF": Case(b"GIF89a" + SCRIPT, None),
        "script that says GIF": Case(b"GIF89a=1;alert(1)//", None),
        "script that says BMP": Case(b"BM=1;alert(document.domain)//" + bytes(40), None),
    }


def marked() -> dict[str, Case]:
    """Pictures with something planted wherever metadata can be."""
    text = MARK.decode()
    exif = Image.Exif()
    exif[0x010E] = text
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 30.0, 0.0), 29: text})
    exif.get_ifd(0x8769)[0x9286] = MARK
    more: dict[str, Any] = {"exif": exif.tobytes()}
    png = encoded(drawn(), "PNG", **more)
    texts = b"".join(
        chunk(kind, b"k\0" + between + MARK)
        for kind, between in {b"tEXt": b"", b"iTXt": b"\0\0\0\0", b"ruSt": b""}.items()
    )
    jpeg = encoded(drawn(), "JPEG", comment=text, xmp=MARK, **more)
    segments = b"".join(segment(0xE0 + number, b"Name\0" + MARK) for number in range(3, 16))
    tiff = encoded(drawn(), "TIFF", tiffinfo={270: text, 305: text, 315: text, 700: MARK})
    return {
        "JPEG": Case(jpeg[:2] + segments + jpeg[2:], "JPEG"),
        "JPEG of many": Case(jpeg[:2] + segment(0xE1, MARK * 2900) * 100 + jpeg[2:], "JPEG"),
        "PNG": Case(png[:33] + texts + png[33:], "PNG"),
        "PNG of many": Case(png[:33] + chunk(b"tEXt", b"k\0" + MARK * 40_000) + png[33:], "PNG"),
        "PNG, moving": Case(_behind_header(moving("PNG"), texts), "PNG"),
        "GIF": Case(encoded(drawn(), "GIF", comment=MARK), "GIF"),
        "GIF, moving": Case(moving("GIF", comment=MARK), "GIF"),
        "WEBP": Case(encoded(drawn(), "WEBP", xmp=MARK, **more), "WEBP"),
        "WEBP of much": Case(encoded(drawn(), "WEBP", xmp=MARK * 100_000), "WEBP"),
        "WEBP, moving": Case(moving("WEBP", xmp=MARK, **more), "WEBP"),
        "AVIF": Case(encoded(drawn(), "AVIF", xmp=MARK, **more), "AVIF"),
        "TIFF": Case(tiff, "TIFF"),
        "TIFF, EXIF": Case(encoded(drawn(), "TIFF", **more), "TIFF"),
        "BMP": Case(encoded(drawn(), "BMP") + MARK, "BMP"),
        "ICO": Case(encoded(drawn(), "ICO") + MARK, "ICO"),
    }


def _behind_header(png: bytes, chunks: bytes) -> bytes:
    return png[:33] + chunks + png[33:]


def _odd() -> dict[tuple[str, str], bytes]:
    """Rare but correct pictures."""
    written = io.BytesIO()
    drawn().save(written, "MPO", save_all=True, append_images=[drawn(32, 24)])
    modes = read_data(__file__, "modes", dict[str, list[str]])
    found = {
        (kind, f"{kind} in {mode}"): encoded(_in_mode(mode), kind)
        for kind, all_modes in modes.items()
        for mode in all_modes
    }
    found |= {(kind, f"{kind}, moving"): moving(kind) for kind in ("GIF", "PNG", "WEBP", "AVIF")}
    for compression in ("raw", "packbits", "tiff_lzw", "tiff_adobe_deflate", "jpeg", "zstd"):
        found["TIFF", compression] = encoded(drawn(), "TIFF", compression=compression)
    for compression in ("group3", "group4", "tiff_ccitt"):
        found["TIFF", compression] = encoded(drawn(mode="1"), "TIFF", compression=compression)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    found |= {
        (kind, f"{kind} with a profile"): encoded(drawn(), kind, icc_profile=profile)
        for kind in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF")
    }
    return found | {
        ("TIFF", "pages"): moving("TIFF"),
        ("TIFF", "a tag of 4 gigabytes"): tiff(*tiff_tags(10, 10), (34675, 7, 2**32 - 1, 8)),
        ("TIFF", "big"): encoded(drawn(), "TIFF", big_tiff=True),
        ("JPEG", "several"): written.getvalue(),
        ("JPEG", "progressive"): encoded(drawn(), "JPEG", progressive=True),
        ("JPEG", "restarts"): encoded(drawn(), "JPEG", restart_marker_blocks=1),
        ("JPEG", "large profile"): encoded(drawn(), "JPEG", icc_profile=profile * 3000),
        ("WEBP", "lossless"): encoded(drawn(), "WEBP", lossless=True),
        ("ICO", "bitmap"): encoded(drawn(), "ICO", bitmap_format="bmp"),
        ("BMP", "from the top"): _from_the_top(),
        ("GIF", "one pixel"): encoded(Image.new("P", (1, 1)), "GIF"),
        ("PNG", "one row"): encoded(Image.new("L", (8000, 1))),
    }


def _in_mode(mode: str) -> Image.Image:
    if mode == "LAB":
        return Image.new("LAB", (64, 48), (120, 30, 200))
    if mode.startswith("I;16"):
        return Image.new(mode, (64, 48), 40000)
    return drawn().convert("L" if mode in "IF" else "RGB").convert(mode)


def _from_the_top() -> bytes:
    content = bytearray(encoded(drawn(), "BMP"))
    content[22:26] = struct.pack("<i", -48)
    return bytes(content)


def _others() -> dict[str, bytes]:
    texts = read_data(__file__, "no pictures", dict[str, str])
    found = {
        f"{kind} of Pillow's": encoded(drawn(64, 64), kind)
        for kind in ("PPM", "TGA", "PCX", "ICNS", "SGI", "EPS", "PDF", "JPEG2000", "DDS")
    }
    return found | {
        **{name: text.encode("latin-1") for name, text in texts.items()},
        "nothing": b"",
        "zeros": bytes(5000),
        "ones": b"\xff" * 5000,
        "HTML": SCRIPT,
        "SVG after comments": b"<!-- a -->" * 2000 + b"<svg/>",
        "comments": b"<!-- a -->" * 100_000,
        "comment that does not end": b"<!--" * 100_000,
        "ZIP": _archive(),
        "program": b"\x7fELF" + bytes(200),
        "metafile": b"\xd7\xcd\xc6\x9a" + bytes(100),
        "Photoshop": b"8BPS\0\1" + bytes(40),
        "film": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(100),
        "picture of a telephone": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100),
        "cursor": b"\0\0\2\0\1\0" + encoded(drawn(16, 16), "ICO")[6:],
        "half of two": encoded(drawn())[:60] + encoded(drawn(), "JPEG")[60:],
    }


def _archive() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("index.html", SCRIPT)
        archive.writestr("META-INF/MANIFEST.MF", "Main-Class: Main\n")
    return written.getvalue()


def _exif(text: bytes) -> bytes:
    exif = Image.Exif()
    exif[0x010E] = text.decode()
    return encoded(drawn(), "JPEG", exif=exif.tobytes())


def _turned(number: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = number
    return encoded(drawn(), "JPEG", exif=exif.tobytes())
