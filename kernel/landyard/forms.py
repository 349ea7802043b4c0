"""Reads urlencoded and multipart fields as nested values: `a[b]=1` is `{"a": {"b": "1"}}` (C3)."""

import io
import re
from binascii import unhexlify
from typing import Any

import multipart

from landyard.core.methods import Bounds, FilePart

_CHUNK = 64 * 1024  # bytes
_PIECE = 4 * 1024  # bytes
_LONGEST_NAME = 8 * 1024  # characters
_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2})++")
# Possessive quantifiers: without them the engine would keep a way back for every character.
_PART = re.compile(r"\[((?:[^\[\]]++|\[[^\[\]]*+\])*+)\]")
Pairs = list[tuple[str, str | FilePart]]


def read_query(query: str) -> dict[str, Any]:
    """Read a query string into nested values as a request's (C3); `ValueError` where none can."""
    return nest(urlencoded(query.encode(), Bounds().values), deepest=Bounds().depth)


def urlencoded(form: bytes, most: int) -> Pairs:
    """Read `a=1&b=2` as `urllib.parse.parse_qsl` does, in less time and memory.

    Raises `ValueError` for more than `most` fields, and for what is not UTF-8.
    """
    if form.count(b"&") >= most:
        raise ValueError(f"more than {most} fields")
    form.decode()  # Raw bytes and an escape must not make up one character together.
    pairs = [field.partition(b"=") for field in form.split(b"&") if field]
    return [(_text(name), _text(value)) for name, _, value in pairs]


def multipart_fields(body: bytes, boundary: str, most: int) -> Pairs:
    """Read the text fields of a multipart body, and its files.

    Raises `ValueError` for more than `most` parts, and for what cannot be read.
    """
    parser = multipart.PushMultipartParser(  # `MultipartParser` takes far more room for small parts
        boundary, content_length=len(body), max_segment_count=most, strict=True
    )
    pairs: Pairs = []
    name = file = ""
    raw = bytearray()
    for event in parser.parse_blocking(io.BytesIO(body).read, _CHUNK):
        if isinstance(event, multipart.MultipartSegment):
            name, file = event.name, event.filename or ""
        elif event is None:
            pairs.append((name, FilePart(file, bytes(raw)) if file else raw.decode()))
            raw = bytearray()
        else:
            raw += event
    return pairs


def nest(fields: Pairs, *, deepest: int) -> dict[str, Any]:
    """Nest fields by the brackets in their names, as PHP does; of two equal names the last counts.

    `[]` takes the next free number. The files of a name, which stays as it is, are a tuple. A
    container numbered from 0 without a gap becomes a list. Takes time in proportion to the fields.
    Raises `ValueError` beyond `deepest` levels, and for a name with brackets of more than 8,192
    characters.
    """
    root = _Container()
    for name, value in fields:
        first, *rest = path = [name] if isinstance(value, FilePart) else _path(name)
        if len(path) > deepest:
            raise ValueError(f"nested deeper than {deepest} levels")
        inside, key = root, first or "0"
        for part in rest:
            if not isinstance(inside.get(key), _Container):
                inside[key] = _Container()
            inside = inside[key]
            key = part or str(inside.free)
            if key.isdecimal() and len(key) < 10:
                inside.free = max(inside.free, int(key) + 1)
        files = inside.get(key) if isinstance(value, FilePart) else None
        if isinstance(files, list):
            files.append(value)
        else:
            inside[key] = [value] if isinstance(value, FilePart) else value
    return {name: _as_list(value) for name, value in root.items()}


class _Container(dict[str, Any]):
    free = 0  # the number that `[]` takes


def _path(name: str) -> list[str]:
    """Split `a[b][]` into its parts; a name whose brackets do not close is one part."""
    at = name.find("[")
    if at < 0:
        return [name]
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"a name of more than {_LONGEST_NAME} characters in brackets")
    if at == 0:
        return [name]
    parts = [name[:at]]
    while part := _PART.match(name, at):
        parts.append(part[1])
        at = part.end()
    return parts if at == len(name) else [name]


def _as_list(value: Any) -> Any:
    if not isinstance(value, dict):
        return tuple(value) if isinstance(value, list) else value
    items = {key: _as_list(item) for key, item in value.items()}
    if all(str(number) in items for number in range(len(items))):
        return [items[str(number)] for number in range(len(items))]
    return items


def _text(raw: bytes) -> str:
    raw = raw.replace(b"+", b" ")
    if b"%" not in raw:
        return raw.decode()
    text = bytearray()
    at = 0
    # In pieces: `sub` on the whole makes an object for each escape, fifteen times the text's size.
    while at < len(raw):
        end = at + _PIECE
        split = raw.rfind(b"%", end - 2, end) if end < len(raw) else -1
        end = end if split < 0 else split
        # A whole run of escapes at once: `urllib.parse` takes eight times as long.
        text += _ESCAPES.sub(lambda run: unhexlify(run[0].translate(None, b"%")), raw[at:end])
        at = end
    return text.decode()
