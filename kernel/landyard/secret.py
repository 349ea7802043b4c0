"""A secret of our own: 256 random bits, and a checksum that tells a typo without a look-up."""

import re
import secrets
import string
import zlib
from typing import Literal

_OURS = re.compile(r"ly[wt]_[A-Za-z0-9_-]{43}[A-Za-z0-9]{6}")
_CHECKSUM = 6  # digits: 62 ** 6 is more than 32 bits hold
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase


def new_secret(kind: Literal["webhook", "token"]) -> str:
    """Make 256 random bits, with a prefix and a checksum that secret scanners can look for."""
    text = f"ly{kind[0]}_{secrets.token_urlsafe(32)}"
    return text + _checksum(text)


def mistyped(secret: str) -> bool:
    """Tell whether a secret has the form of ours and cannot be one: its checksum is wrong."""
    ours = _OURS.fullmatch(secret) is not None
    return ours and secret[-_CHECKSUM:] != _checksum(secret[:-_CHECKSUM])


def _checksum(text: str) -> str:
    """CRC-32 as six digits in base 62: no proof of anything, anybody can compute it."""
    number = zlib.crc32(text.encode())
    digits = ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, 62)
        digits = _DIGITS[digit] + digits
    return digits
