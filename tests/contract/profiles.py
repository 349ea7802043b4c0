"""Colour profiles of several kinds, generated here because vendors' profiles may not be shipped."""

import struct
from itertools import product

from PIL import ImageCms

_WHITE = (0.9642, 1.0, 0.8249)  # D50
_VERSION = 0x02100000
_GRIDS = {3: 17, 4: 9}  # points of a lookup table along each axis

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def _fixed(*values: float) -> bytes:
    return b"".join(struct.pack(">i", round(value * 65536)) for value in values)


def _profile(space: bytes, tags: dict[bytes, bytes], between: bytes = b"XYZ ") -> bytes:
    tags = {b"desc": _text(b"desc"), b"cprt": b"text\0\0\0\0free\0\0\0\0", **tags}
    tags[b"wtpt"] = _xyz(*_WHITE)
    table, data, at = b"", b"", 128 + 4 + 12 * len(tags)
    for name, content in tags.items():
        table += name + struct.pack(">II", at + len(data), len(content))
        data += content + bytes(-len(content) % 4)
    head = struct.pack(">I4sI4s4s4s", at + len(data), b"test", _VERSION, b"mntr", space, between)
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + _fixed(*_WHITE)
    return head + bytes(128 - len(head)) + struct.pack(">I", len(tags)) + table + data


def _text(text: bytes) -> bytes:
    return b"desc" + bytes(4) + struct.pack(">I", len(text) + 1) + text + bytes(1 + 78)


def _xyz(*values: float) -> bytes:
    return b"XYZ " + bytes(4) + _fixed(*values)


def _gamma(value: float) -> bytes:
    return b"curv" + bytes(4) + struct.pack(">IH", 1, round(value * 256))


def of_primaries(
    red: tuple[float, ...], green: tuple[float, ...], blue: tuple[float, ...]
) -> bytes:
    """An RGB profile with these primaries, in XYZ, and a gamma of 2.2."""
    primaries = {b"rXYZ": _xyz(*red), b"gXYZ": _xyz(*green), b"bXYZ": _xyz(*blue)}
    return _profile(
        b"RGB ", primaries | {name: _gamma(2.2) for name in (b"rTRC", b"gTRC", b"bTRC")}
    )


_RED, _GREEN, _BLUE = (
    (0.4360747, 0.2225045, 0.0139322),
    (0.3850649, 0.7168786, 0.0971045),
    (0.1430804, 0.0606169, 0.7141733),
)
P3 = of_primaries(
    (0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)
)
ADOBE = of_primaries(
    (0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457)
)
SWAPPED = of_primaries(_GREEN, _RED, _BLUE)
"""Primaries with red and green swapped, an obvious difference."""
GREY = _profile(b"GRAY", {b"kTRC": _gamma(1.0)})


def _lab(red: float, green: float, blue: float) -> tuple[float, float, float]:
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
        for each in (red, green, blue)
    ]
    x, y, z = (
        sum(part * each[at] for part, each in zip(linear, (_RED, _GREEN, _BLUE), strict=True))
        / _WHITE[at]
        for at in range(3)
    )
    x, y, z = (
        each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _table(channels: int) -> bytes:
    """A lookup table to Lab: of inks duller than a screen's colours, or of red, green and blue."""
    cells, grid = bytearray(), _GRIDS[channels]
    for values in product([step / (grid - 1) for step in range(grid)], repeat=channels):
        black = values[3] if channels == 4 else 0.0
        inks = values[:3] if channels == 4 else tuple(1 - value for value in values)
        lab = _lab(*((1 - 0.85 * ink) * (1 - 0.9 * black) for ink in inks))
        numbers = (lab[0] * 652.8, (lab[1] + 128) * 256, (lab[2] + 128) * 256)
        cells += struct.pack(">3H", *(max(0, min(65535, round(each))) for each in numbers))
    straight = struct.pack(">HH", 0, 65535)
    head = b"mft2" + bytes(4) + bytes([channels, 3, grid, 0])
    head += _fixed(1, 0, 0, 0, 1, 0, 0, 0, 1) + struct.pack(">HH", 2, 2)
    return head + straight * channels + bytes(cells) + straight * 3


PRINTER = _profile(b"CMYK", {b"A2B0": _table(4)}, b"Lab ")
TABLE = _profile(b"RGB ", {b"A2B0": _table(3)}, b"Lab ")
"""An RGB profile that consists of a lookup table and has no primaries."""

PROFILES = {
    "none": None,
    "sRGB": SRGB,
    "P3": P3,
    "Adobe": ADOBE,
    "swapped": SWAPPED,
    "grey": GREY,
    "printer": PRINTER,
    "table": TABLE,
    "of 200 bytes": SRGB[:200],
    "four bytes short": SRGB[:-4],
    "no profile": b"any profile",
}
"""Usable and broken colour profiles, each with the picture modes it applies to."""
