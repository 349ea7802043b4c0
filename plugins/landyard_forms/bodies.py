"""The parser of form bodies, into texts and files by the names of fields."""

import io
from collections.abc import Mapping
from urllib.parse import parse_qsl

import multipart
from msgspec import Struct

_MOST = 200  # names in a body
_CHUNK = 64 * 1024  # bytes
_MULTIPART = "multipart/form-data"


class SentFile(Struct, frozen=True):
    """A file sent by a visitor: its unchecked name, and its bytes."""

    name: str
    content: bytes


class Body(Struct, frozen=True):
    """The parsed body of a form; the last of several equal names counts."""

    texts: Mapping[str, str]
    files: Mapping[str, SentFile] = {}


def read_body(body: bytes, kind: str) -> Body:
    """Parse a body of media type `kind`: multipart, or else URL-encoded.

    Raises `ValueError` if it cannot be parsed or has more names than any form.
    """
    media, options = multipart.parse_options_header(kind)
    if media == _MULTIPART:
        return _multipart(body, options.get("boundary", ""))
    text = body.decode("utf-8", "replace")
    return Body(dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST)))


def _multipart(body: bytes, boundary: str) -> Body:
    parser = multipart.PushMultipartParser(
        boundary, content_length=len(body), max_segment_count=_MOST, strict=True
    )
    texts, files = dict[str, str](), dict[str, SentFile]()
    name, file = "", None
    raw = bytearray()
    for event in parser.parse_blocking(io.BytesIO(body).read, _CHUNK):
        if isinstance(event, multipart.MultipartSegment):
            name, file = event.name, event.filename
        elif event is not None:
            raw += event
        else:
            if file is None:
                texts[name] = raw.decode("utf-8", "replace")
            elif file or raw:  # an empty file field has neither
                files[name] = SentFile(file, bytes(raw))
            raw = bytearray()
    return Body(texts, files)
