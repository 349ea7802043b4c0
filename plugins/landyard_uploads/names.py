"""Names of stored files: safe in every path, header and address (U6)."""

import re
import unicodedata

from anyascii import anyascii

from landyard import spelt

LONGEST = 120
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_EXTENSION = re.compile(r"(.*)\.([A-Za-z0-9]{1,5})", re.DOTALL)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
# Windows takes these for devices, whatever follows the first dot.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def stored_name(given: str, extension: str) -> str:
    """Name a file as much like `given` as is safe, with the extension of its content."""
    base = re.split(r"[/\\]", given)[-1]
    named = _EXTENSION.fullmatch(base.rstrip())
    return _safe(named[1] if named else base, LONGEST - len(extension) - 1) + f".{extension}"


def extension_of(given: str) -> str:
    """Return what a name has behind its last dot, in lower case; empty where it is no extension."""
    named = _EXTENSION.fullmatch(given.strip())
    return named[2].lower() if named else ""


def _safe(stem: str, longest: int) -> str:
    seen = "".join(each for each in stem if unicodedata.category(each) not in _UNSEEN)
    plain = anyascii(spelt(seen))
    plain = _UNSAFE.sub("", re.sub(r"[ ()]", "_", plain)).lstrip(".-")[:longest].rstrip(".")
    return "image" if not plain or _DEVICE.fullmatch(plain) else plain
