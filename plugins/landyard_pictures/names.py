"""The names of stored files, safe in every path, header and address (U6)."""

import re
import unicodedata

from anyascii import anyascii

from landyard import spelt

LONGEST = 120
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_EXTENSION = re.compile(r"(.*)\.([A-Za-z0-9]{1,5})", re.DOTALL)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
# Windows treats these as devices, whatever follows the first dot.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def stored_name(sent_name: str, extension: str) -> str:
    """Return a safe name close to `sent_name`, with the extension of the content."""
    base = re.split(r"[/\\]", sent_name)[-1]
    match = _EXTENSION.fullmatch(base.rstrip())
    return _safe(match[1] if match else base, LONGEST - len(extension) - 1) + f".{extension}"


def extension_of(name: str) -> str:
    """Return the extension of a name in lower case; empty if it has none."""
    match = _EXTENSION.fullmatch(name.strip())
    return match[2].lower() if match else ""


def _safe(stem: str, longest: int) -> str:
    visible = "".join(each for each in stem if unicodedata.category(each) not in _UNSEEN)
    plain = anyascii(spelt(visible))
    plain = _UNSAFE.sub("", re.sub(r"[ ()]", "_", plain)).lstrip(".-")[:longest].rstrip(".")
    return "image" if not plain or _DEVICE.fullmatch(plain) else plain
