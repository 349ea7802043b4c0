"""Removes a picture's metadata, such as the place where it was taken, without re-encoding.

The orientation, author, copyright and colour metadata stay. Data that cameras append to a picture
is removed, too. Runs in the decoder's process.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from PIL import Image

from .kinds import Unusable

_KEPT_TAGS = (0x0112, 0x013B, 0x8298)  # orientation, author, copyright
_EXIF = b"Exif\0\0"

_START_OF_IMAGE = b"\xff\xd8"
_SCAN, _END = 0xDA, 0xD9
_ALONE = frozenset({0x01, _END, *range(0xD0, 0xD8)})  # markers without a length
_COMMENTS = frozenset({*range(0xE0, 0xF0), 0xFE})  # application data and comments
_KEPT_SEGMENTS = ((0xE0, b"JFIF\0"), (0xE2, b"ICC_PROFILE\0"), (0xEE, b"Adobe"))
_AFTER_SCAN = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")

_KEPT_CHUNKS = frozenset(
    b"gAMA cHRM sRGB iCCP sBIT bKGD hIST tRNS pHYs sPLT cICP mDCV cLLI acTL fcTL fdAT".split()
)
_KEPT_TEXTS = (b"Author\0", b"Copyright\0")

_WEBP_EXIF, _WEBP_XMP = 0x08, 0x04  # flags of a VP8X chunk

_TIFF_ERASED = frozenset({700, 33723, 34377, 34665, 34853})  # XMP, IPTC, Photoshop, EXIF, GPS
_TIFF_FOLDERS = frozenset({34665, 34853})
_TIFF_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_TIFF_SIZES |= {16: 8, 17: 8, 18: 8}
_MOST_FOLDERS = 10_000

_EMPTY_EXIF = struct.pack(">I", 0) + b"II*\0" + struct.pack("<IHI", 8, 0, 0)


def without_location(content: bytes, kind: str) -> bytes:
    """Return a picture's file without its location; raises `Unusable` if it cannot be parsed."""
    rewrite = _REWRITES.get(kind)
    if rewrite is None:
        return content
    try:
        return rewrite(content)
    except (IndexError, KeyError, ValueError, struct.error) as broken:
        raise Unusable(
            "The metadata of the picture cannot be read, so its location cannot be taken out. Save"
            " it again with another program, and upload that file."
        ) from broken


def _kept_exif(exif: bytes) -> bytes:
    """Return EXIF data reduced to the tags to keep, without its prefix; empty if none."""
    read, kept = Image.Exif(), Image.Exif()
    try:
        read.load(exif)
        for tag in _KEPT_TAGS:
            if tag in read:
                kept[tag] = read[tag]
        return kept.tobytes().removeprefix(_EXIF) if len(kept) else b""
    except Exception:  # noqa: BLE001 - a hostile file can make Pillow raise anything
        return b""


def _jpeg(content: bytes) -> bytes:
    parts, had_exif = [_START_OF_IMAGE], False
    for marker, segment in _segments(content):
        body = segment[4:]
        if marker == 0xE1 and body.startswith(_EXIF):
            if not had_exif and (kept := _kept_exif(body)):
                parts.append(struct.pack(">HH", 0xFFE1, len(kept) + 8) + _EXIF + kept)
            had_exif = True
        elif marker not in _COMMENTS or _is_about_colours(marker, body):
            parts.append(segment)
    return b"".join(parts)


def _segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the segments of a JPEG up to its end, each with its marker.

    Data after the end is another file: phones append a video or a depth map.
    """
    at = len(_START_OF_IMAGE)
    while True:
        if content[at] != 0xFF:
            raise ValueError("no marker")
        while content[at + 1] == 0xFF:
            at += 1
        marker, end = content[at + 1], at + 2
        if marker not in _ALONE:
            end += struct.unpack_from(">H", content, end)[0]
        if marker == _SCAN:
            next_marker = _AFTER_SCAN.search(content, end)
            end = len(content) if next_marker is None else next_marker.start()
        yield marker, content[at:end]
        if marker == _END or end >= len(content):
            return
        at = end


def _is_about_colours(marker: int, body: bytes) -> bool:
    return any(marker == number and body.startswith(name) for number, name in _KEPT_SEGMENTS)


def _png(content: bytes) -> bytes:
    parts, at = [content[:8]], 8
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        name, chunk = content[at + 4 : at + 8], content[at : at + 12 + length]
        body = chunk[8:-4]
        at += 12 + length
        if name == b"eXIf":
            if kept := _kept_exif(body):
                parts.append(_chunk(name, kept))
        elif name[:1].isupper() or name in _KEPT_CHUNKS or _is_author(name, body):
            parts.append(chunk)
        if name == b"IEND":
            return b"".join(parts)
    raise ValueError("no end")


def _is_author(name: bytes, body: bytes) -> bool:
    return name == b"tEXt" and body.startswith(_KEPT_TEXTS)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _webp(content: bytes) -> bytes:
    parts: list[bytes] = []
    at, end = 12, 8 + struct.unpack_from("<I", content, 4)[0]
    exif, flags_at = b"", None
    while at + 8 <= min(end, len(content)):
        (length,) = struct.unpack_from("<I", content, at + 4)
        name, body = content[at : at + 4], content[at + 8 : at + 8 + length]
        at += 8 + length + length % 2
        if name == b"EXIF":
            exif = exif or _kept_exif(body)
            if exif and not any(part.startswith(b"EXIF") for part in parts):
                parts.append(_riff(b"EXIF", exif))
        elif name in (b"VP8X", b"ICCP", b"ANIM", b"ANMF", b"ALPH", b"VP8 ", b"VP8L"):
            if name == b"VP8X":
                flags_at = len(parts)
            parts.append(_riff(name, body))
    if flags_at is not None:
        extended = parts[flags_at]
        flags = extended[8] & ~(_WEBP_EXIF | _WEBP_XMP) | (_WEBP_EXIF if exif else 0)
        parts[flags_at] = extended[:8] + bytes([flags]) + extended[9:]
    return _riff(b"RIFF", b"WEBP" + b"".join(parts))


def _riff(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def _gif(content: bytes) -> bytes:
    """Return a GIF without comments, plain texts and application data, except the loop count."""
    at = 13 + _palette(content[10])
    parts = [content[:at]]
    while content[at] != 0x3B:
        begin = at
        if content[at] == 0x2C:
            at += 10 + _palette(content[at + 9]) + 1
            at = _past_blocks(content, at)
            parts.append(content[begin:at])
        elif content[at] == 0x21:
            label, application = content[at + 1], content[at + 3 : at + 14]
            at = _past_blocks(content, at + 2)
            if label == 0xF9 or application in (b"NETSCAPE2.0", b"ANIMEXTS1.0"):
                parts.append(content[begin:at])
        else:
            raise ValueError("no block")
    return b"".join([*parts, b";"])


def _palette(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _past_blocks(content: bytes, at: int) -> int:
    while size := content[at]:
        at += size + 1
    return at + 1


class _Box(Struct, frozen=True):
    """A box of an AVIF: its name, and the offsets of its begin, content and end."""

    name: bytes
    begin: int
    body: int
    end: int


def _avif(content: bytes) -> bytes:
    """Overwrite location data in place, because an AVIF refers to its parts by offsets."""
    edited = bytearray(content)
    for box in _boxes(content, 0, len(content)):
        if box.name == b"meta":
            _erase_items(content, edited, box)
        elif box.name == b"moov":
            _erase_boxes(content, edited, box, depth=0)
        elif box.name in (b"uuid", b"udta"):
            _erase(edited, box)
    return bytes(edited)


def _boxes(content: bytes, at: int, end: int) -> Iterator[_Box]:
    while at + 8 <= end:
        size, name = struct.unpack_from(">I4s", content, at)
        body = at + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", content, body)
            body += 8
        stop = at + size if size else end
        if not body <= stop <= end:
            raise ValueError("a box is longer than its container")
        yield _Box(name, at, body, stop)
        at = stop


def _erase(edited: bytearray, box: _Box) -> None:
    edited[box.begin + 4 : box.begin + 8] = b"free"
    edited[box.body : box.end] = bytes(box.end - box.body)


def _erase_boxes(content: bytes, edited: bytearray, container: _Box, depth: int) -> None:
    if depth > 4:
        raise ValueError("too deep")
    for box in _boxes(content, container.body, container.end):
        if box.name in (b"udta", b"uuid", b"meta"):
            _erase(edited, box)
        elif box.name in (b"trak", b"mdia", b"minf"):
            _erase_boxes(content, edited, box, depth + 1)


def _erase_items(content: bytes, edited: bytearray, meta: _Box) -> None:
    inside = {box.name: box for box in _boxes(content, meta.body + 4, meta.end)}
    kinds = _items(content, inside[b"iinf"]) if b"iinf" in inside else {}
    if b"uuid" in inside:
        _erase(edited, inside[b"uuid"])
    for item, extents in _extents(content, inside):
        kind = kinds.get(item)
        if kind not in (b"Exif", b"mime", b"uri "):
            continue
        for begin, length in extents:
            if begin + length > len(content):
                raise ValueError("an item is longer than the file")
            filler = _EMPTY_EXIF if kind == b"Exif" and length >= len(_EMPTY_EXIF) else b""
            edited[begin : begin + length] = filler + b" " * (length - len(filler))


def _items(content: bytes, box: _Box) -> dict[int, bytes]:
    """Return the kind of each item."""
    at = box.body + 4 + (2 if content[box.body] == 0 else 4)
    kinds = {}
    for entry in _boxes(content, at, box.end):
        wide = content[entry.body] >= 3
        item, _, kind = struct.unpack_from(">IH4s" if wide else ">HH4s", content, entry.body + 4)
        kinds[item] = kind
    return kinds


def _extents(content: bytes, inside: dict[bytes, _Box]) -> Iterator[tuple[int, list[Any]]]:
    """Yield each item with its parts, by offset in the file and length."""
    if b"iloc" not in inside:
        return
    read = _Reader(content, inside[b"iloc"].body)
    version, _ = read.number(1), read.number(3)
    sizes = read.number(2)
    offsets, lengths, bases, indices = (sizes >> shift & 15 for shift in (12, 8, 4, 0))
    for _ in range(read.number(4 if version == 2 else 2)):
        item = read.number(4 if version == 2 else 2)
        way = read.number(2) & 15 if version else 0
        read.number(2)
        base = read.number(bases)
        parts = []
        for _ in range(read.number(2)):
            read.number(indices if version else 0)
            begin, length = base + read.number(offsets), read.number(lengths)
            parts.append((begin + (inside[b"idat"].body if way == 1 else 0), length))
        yield item, parts


class _Reader:
    """Reads consecutive numbers."""

    def __init__(self, content: bytes, at: int) -> None:
        self._content = content
        self._at = at

    def number(self, size: int) -> int:
        """Return the next number of `size` bytes; 0 for none."""
        digits = self._content[self._at : self._at + size]
        if len(digits) < size:
            raise ValueError("no number")
        self._at += size
        return int.from_bytes(digits, "big")


class _Layout(Struct, frozen=True):
    """The number format of a TIFF, by its first bytes."""

    order: str
    big: bool

    def read(self, content: bytes, at: int, size: int) -> int:
        """Return the number of `size` bytes at an offset."""
        digits = content[at : at + size]
        if len(digits) < size:
            raise ValueError("no number")
        return int.from_bytes(digits, "little" if self.order == "II" else "big")


def _tiff(content: bytes) -> bytes:
    """Overwrite location data in place, because a TIFF refers to its parts by offsets."""
    order = content[:2].decode("ascii")
    layout = _Layout(order, big=43 in (content[2], content[3]))
    edited = bytearray(content)
    size = 8 if layout.big else 4
    at = layout.read(content, 8 if layout.big else 4, size)
    visited = set[int]()
    while at and at not in visited and len(visited) < _MOST_FOLDERS:
        visited.add(at)
        at = _erase_tags(content, edited, layout, at, _TIFF_ERASED)
    return bytes(edited)


def _erase_tags(
    content: bytes, edited: bytearray, layout: _Layout, at: int, erased: frozenset[int] | None
) -> int:
    """Overwrite the values of some tags of a folder, or of all; return the next folder's offset."""
    head, entry, field = (8, 20, 8) if layout.big else (2, 12, 4)
    first = at + head
    count = layout.read(content, at, head)
    if first + count * entry > len(content):
        raise ValueError("no folder")
    for place in range(first, first + count * entry, entry):
        tag = layout.read(content, place, 2)
        if erased is not None and tag not in erased:
            continue
        value = place + entry - field
        begin = layout.read(content, value, field)
        if tag in _TIFF_FOLDERS and 0 < begin < len(content):
            _erase_tags(content, edited, layout, begin, None)
            continue
        size = _TIFF_SIZES.get(layout.read(content, place + 2, 2), 1)
        length = size * layout.read(content, place + 4, field)
        if length <= field:
            begin = value
        edited[begin : begin + length] = bytes(len(edited[begin : begin + length]))
    if erased is None:
        edited[at : first + count * entry] = bytes(head + count * entry)
        return 0
    return layout.read(content, first + count * entry, field)


_REWRITES: dict[str, Callable[[bytes], bytes]] = {
    "AVIF": _avif,
    "GIF": _gif,
    "JPEG": _jpeg,
    "PNG": _png,
    "TIFF": _tiff,
    "WEBP": _webp,
}
