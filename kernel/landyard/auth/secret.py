"""Secrets made by Landyard: 256 random bits, and a checksum that finds a typo."""

import re
import secrets
import zlib
from typing import Literal

_OURS = re.compile(r"(ly[wt]_[A-Za-z0-9_-]{43})([0-9a-f]{8})")


def new_secret(kind: Literal["webhook", "token"]) -> str:
    """Make a secret of 256 random bits; scanners find it by its prefix and its checksum."""
    text = f"ly{kind[0]}_{secrets.token_urlsafe(32)}"
    return text + _checksum(text)


def mistyped(secret: str) -> bool:
    """Tell whether a secret looks like one of these, but has a wrong checksum."""
    ours = _OURS.fullmatch(secret)
    return ours is not None and ours[2] != _checksum(ours[1])


def _checksum(text: str) -> str:
    """CRC-32 in hex: no proof of anything, anybody can compute it."""
    return f"{zlib.crc32(text.encode()):08x}"
