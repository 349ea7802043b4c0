"""Decompression bombs: pictures that are small to send and huge to decode; all are refused."""

import struct
import zlib

from contract.pictures import drawn, encoded, moving
from corpora import read_data
from PIL import Image

SIGNATURE = b"\x89PNG\r\n\x1a\n"
TAGS = read_data(__file__, "TAGS", dict[str, int])
"""The numbers of a TIFF's tags."""

TIFF = read_data(__file__, "TIFF", dict[str, dict[str, int]])
"""The tags of TIFF files that are bombs."""


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *more: bytes, rows: bytes = bytes(1000)) -> bytes:
    """A PNG that declares this size, whatever pixels it contains."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return SIGNATURE + header + b"".join(more) + body


def small_png(*more: bytes) -> bytes:
    """A complete one-pixel PNG, with chunks before the pixel."""
    return png(1, 1, *more, rows=b"\0abc")


def segment(marker: int, data: bytes) -> bytes:
    """A segment of a JPEG."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg_of_size(width: int, height: int) -> bytes:
    """A JPEG whose header declares another size than its data has."""
    content = bytearray(encoded(drawn(), "JPEG"))
    at = content.index(b"\xff\xc0") + 5
    content[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(content)


def jpeg_of_scans(count: int, side: int = 7000) -> bytes:
    """A progressive JPEG with many scans over its pixels; each scan is a few bytes."""
    blocks = ((side + 7) // 8) ** 2
    frame = segment(0xC2, struct.pack(">BHHB", 8, side, side, 1) + b"\x01\x11\0")
    # A single code 0 means: the next 2 ** 14 blocks and more are all zero.
    table = segment(0xC4, b"\x10" + b"\x01" + bytes(15) + b"\xe0")
    bits = ""
    while blocks > 0:
        run = min(blocks, 2**15 - 1)
        bits += "0" + format(max(0, run - 2**14), "014b")
        blocks -= max(run, 2**14)
    bits += "1" * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    scan = segment(0xDA, b"\x01\x01\0\x01\x3f\0") + data
    quantised = segment(0xDB, b"\0" + b"\x01" * 64)
    return b"\xff\xd8" + quantised + frame + table + scan * count + b"\xff\xd9"


def gif(width: int, height: int, count: int) -> bytes:
    """A GIF of this many frames of one pixel each."""
    head = b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0" + b"\0\0\0\xff\xff\xff"
    frame = b"\x21\xf9\x04\0\x01\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
    return head + frame * count + b";"


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    """A WebP of these chunks."""
    body = b"".join(
        name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
        for name, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def webp_of_frames(count: int) -> bytes:
    """An animated WebP that repeats one frame."""
    once = moving("WEBP", 2, (2, 2))
    at = once.index(b"ANMF")
    frame = once[at : at + 8 + int.from_bytes(once[at + 4 : at + 8], "little")]
    body = once[12:at] + frame * count
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def bmp(width: int, height: int, bits: int = 24, compression: int = 0) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 100, 0, 0, 54) + head + bytes(100)


def tiff(*tags: tuple[int, int, int, int], following: int = 0) -> bytes:
    """A TIFF of these tags (number, type, count, value) and a few bytes of pixels."""
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return b"II*\0\x08\0\0\0" + directory + struct.pack("<I", following) + bytes(100)


def tiff_tags(width: int, height: int, **other: int) -> list[tuple[int, int, int, int]]:
    """The tags of a grey TIFF; `other` overrides tags by the names below."""
    values = {"width": width, "height": height, "bits": 8, "compression": 1, "photometric": 1}
    values |= {"offset": 8, "samples": 1, "rows": height, "length": 100, **other}
    return sorted((TAGS[name], 4, 1, value) for name, value in values.items())


def tiff_pages(count: int) -> bytes:
    """A TIFF of this many pages of one pixel."""
    tags = tiff_tags(1, 1, length=1)
    size = 2 + 12 * len(tags) + 4
    pages = [
        struct.pack("<H", len(tags))
        + b"".join(struct.pack("<HHII", *tag) for tag in tags)
        + struct.pack("<I", 8 + size * (number + 1) if number < count - 1 else 0)
        for number in range(count)
    ]
    return b"II*\0\x08\0\0\0" + b"".join(pages)


def icon(inner: bytes, side: int = 16) -> bytes:
    entry = struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(inner), 22)
    return struct.pack("<HHH", 0, 1, 1) + entry + inner


def avif_of_size(width: int, height: int) -> bytes:
    content = encoded(drawn(), "AVIF")
    return content.replace(
        b"ispe\0\0\0\0" + struct.pack(">II", 64, 48),
        b"ispe\0\0\0\0" + struct.pack(">II", width, height),
    )


def bombs() -> dict[str, bytes]:
    """The bombs, by their defect."""
    text = zlib.compress(bytes(80 * 1024 * 1024), 9)
    some = zlib.compress(bytes(1024 * 1024 - 1), 9)
    actl = chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0))
    return {
        "PNG, 900 megapixels": png(30000, 30000),
        "PNG, as wide as can be": png(2**31 - 1, 1),
        "PNG, a pixel too many": png(50_000_001, 1),
        "PNG, all there, 56 megapixels": encoded(Image.new("1", (8000, 7000))),
        "PNG, no height": png(10, 0),
        "PNG, text that grows": small_png(chunk(b"zTXt", b"k\0\0" + text)),
        "PNG, international text that grows": small_png(chunk(b"iTXt", b"k\0\x01\0\0\0" + text)),
        "PNG, profile that grows": small_png(chunk(b"iCCP", b"k\0\0" + text)),
        "PNG, many texts that grow": small_png(*[chunk(b"zTXt", b"k\0\0" + some)] * 100),
        "PNG, frames without number": small_png(actl),
        "PNG, 60 frames of a megapixel": png(1000, 1000, chunk(b"acTL", struct.pack(">II", 60, 0))),
        "JPEG, 4 gigapixels": jpeg_of_size(65500, 65500),
        "JPEG, 64 megapixels": jpeg_of_size(8000, 8000),
        "JPEG, no height": jpeg_of_size(64, 0),
        "GIF, 4 gigapixels": gif(65535, 65535, 1),
        "GIF, thousands of tiny frames": gif(1, 1, 20_000),
        "GIF, frames of a large canvas": gif(5000, 5000, 3),
        "WebP, a quarter gigapixel": riff(
            (b"VP8X", b"\x02\0\0\0" + (16383).to_bytes(3, "little") * 2),
            (b"ANIM", bytes(6)),
        ),
        "WebP, lossy, a quarter gigapixel": riff(
            (b"VP8 ", b"\x10\0\0\x9d\x01\x2a\xff\x3f\xff\x3f" + bytes(20))
        ),
        "WebP, lossless, a quarter gigapixel": riff(
            (b"VP8L", b"\x2f" + (16382 | 16382 << 14).to_bytes(4, "little") + bytes(20))
        ),
        "WebP, as large as can be said": riff((b"VP8X", b"\x02\0\0\0" + b"\xff" * 6)),
        "WebP, thousands of tiny frames": webp_of_frames(20_000),
        "AVIF, 4 gigapixels": avif_of_size(65535, 65535),
        "AVIF, as large as can be said": avif_of_size(2**32 - 1, 2**32 - 1),
        "AVIF, no width": avif_of_size(0, 48),
        "BMP, 2 gigapixels": bmp(46000, 46000),
        "BMP, upside down, 2 gigapixels": bmp(46000, -46000),
        "BMP, as deep as can be said": bmp(1, -(2**31)),
        "BMP, negative width": bmp(-100, 100),
        "BMP, as wide as can be said": bmp(2**31 - 1, 2**31 - 1),
        "BMP, packed runs, 2 gigapixels": bmp(46000, 46000, 8, 1),
        "BMP, no such compression": bmp(10, 10, 24, 99),
        **{f"TIFF, {name}": tiff(*tiff_tags(**tags)) for name, tags in TIFF.items()},
        "TIFF, thousands of pages": tiff_pages(6000),
        "ICO, PNG of 400 megapixels": icon(png(20000, 20000)),
        "ICO, PNG of 60 megapixels": icon(encoded(Image.new("1", (8000, 7500)))),
        "ICO, bitmap of 2 gigapixels": icon(bmp(46000, 46000)[14:]),
        "ICO, bitmap upside down": icon(bmp(30000, -30000)[14:]),
        "ICO, nothing": icon(b""),
        "ICO, 65,535 entries": struct.pack("<HHH", 0, 1, 65535) + bytes(100),
        "ICO, elsewhere": struct.pack("<HHHBBBBHHII", 0, 1, 1, 9, 9, 0, 0, 1, 32, 9, 2**32 - 1),
    }
