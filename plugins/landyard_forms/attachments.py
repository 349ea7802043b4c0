"""Checks the types of the files that visitors attach to a form."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from landyard import Host
from landyard_forms.bodies import SentFile
from landyard_forms.fields import Field, Form
from landyard_pictures.names import stored_name
from landyard_pictures.recognition import picture_kind
from landyard_pictures.upload_errors import FileError

MEDIA_TYPES = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "GIF": "image/gif",
    "WEBP": "image/webp",
    "PDF": "application/pdf",
}
"""The kinds of files that forms accept, with their media types."""

_KINDS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WEBP", "pdf": "PDF"}
_TAIL = 1024  # bytes at the end in which a PDF has its end mark


class NewFile(Struct, frozen=True):
    """A file to store for a field: its name, safe in every path, its kind and content."""

    field: str
    name: str
    kind: str
    content: bytes


def kinds_of(field: Field) -> tuple[str, ...]:
    """Return the kinds that a field accepts: those in its options, or else all."""
    kinds = (_KINDS.get(each.lower().lstrip("."), "") for each in field.options)
    return tuple(dict.fromkeys(filter(None, kinds))) or tuple(MEDIA_TYPES)


def extensions_of(field: Field) -> str:
    """Return the extensions that a field accepts, for the attribute `accept`."""
    kinds = kinds_of(field)
    return ",".join(f".{each}" for each, kind in _KINDS.items() if kind in kinds)


def look_into(
    host: Host, form: Form, sent: Mapping[str, SentFile]
) -> tuple[Sequence[NewFile], Sequence[Field]]:
    """Return the files to store, and the fields whose files are refused."""
    accepted, refused = list[NewFile](), list[Field]()
    for field in form.fields:
        if (file := sent.get(field.name)) is None:
            continue
        kind = _kind(host, file.content)
        if kind in kinds_of(field):
            extension = next(each for each, of in _KINDS.items() if of == kind)
            name = stored_name(file.name, extension)
            accepted.append(NewFile(field.name, name, kind, file.content))
        else:
            refused.append(field)
    return accepted, refused


def _kind(host: Host, content: bytes) -> str:
    """Return the kind of a file by its content, whatever its name; "" for other kinds."""
    if content.startswith(b"%PDF-"):
        return "PDF" if b"%%EOF" in content[-_TAIL:] else ""
    try:
        return picture_kind(host, content)
    except FileError:
        return ""
