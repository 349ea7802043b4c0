"""Request bodies in JSON, forms and multipart: some can be read, some cannot (C3).

Each body stands under a name for its peculiarity. `Read` bodies also give the parameters they stand
for. The short bodies are in the JSON file, where each character is one byte.
"""

import gzip
import json
import zlib
from typing import Any

from corpora import read_data
from msgspec import Struct

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=XX"


class Read(Struct, frozen=True):
    """A readable body: its bytes, its content type, and the parameters it gives."""

    body: bytes
    gives: dict[str, Any]
    kind: str = JSON


def read_bodies(texts: dict[str, str]) -> dict[str, bytes]:
    """Turn texts into bodies: each character becomes one byte."""
    return {name: text.encode("latin-1") for name, text in texts.items()}


def _read(name: str, kind: str = JSON) -> dict[str, Read]:
    """Load readable bodies together with the parameters they give."""
    table = read_data(__file__, name, dict[str, tuple[str, dict[str, Any]]])
    return {
        what: Read(body.encode("latin-1"), gives, kind) for what, (body, gives) in table.items()
    }


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """A JSON object nested `depth` levels deep, counting the object itself."""
    return b'{"a": ' + opening * (depth - 1) + closing * (depth - 1) + b"}"


def nested_objects(depth: int) -> bytes:
    return nested(depth, b'{"a":', b"}").replace(b":}", b":1}")


def nested_both(depth: int) -> bytes:
    return nested(depth, b'[{"a":', b"}]").replace(b":}", b":1}")


def text(raw: bytes) -> bytes:
    """A JSON object with one string; `raw` is written into it unchanged."""
    return b'{"a": "' + raw + b'"}'


def value(raw: bytes) -> bytes:
    return b'{"a": ' + raw + b"}"


SHORT_JSON = read_data(__file__, "UNREADABLE_JSON", dict[str, dict[str, str]])

LONG_NUMBERS = {
    "5,000 digits": value(b"9" * 5000),
    "1,000,000 digits": value(b"9" * 1_000_000),
}

BINARY = {
    "a binary": bytes(range(256)),
    "gzip": gzip.compress(b'{"a": 1}'),
    "deflate": zlib.compress(b'{"a": 1}'),
}

DEEP = {
    "65 lists": nested(65),
    "65 objects": nested_objects(65),
    "33 lists of objects": nested_both(33),
    "65 deep, and late": b'{"b": [[[]]], "a": ' + nested(64) + b"}",
    "1,000 lists": nested(1_000),
    "100,000 lists": nested(100_000),
    "100,000 objects": nested_objects(100_000),
    "50,000 lists of objects": nested_both(50_000),
    "100,000 open lists": b"[" * 100_000,
    "100,000 open objects": b'{"a":' * 100_000,
}

UNREADABLE_JSON = {
    **{name: body for texts in SHORT_JSON.values() for name, body in read_bodies(texts).items()},
    **LONG_NUMBERS,
    **BINARY,
    **DEEP,
}

UNREADABLE_FORMS = {
    **read_bodies(read_data(__file__, "UNREADABLE_FORMS", dict[str, str])),
    "65 deep": b"a" + b"[b]" * 64 + b"=1",
    "65 lists deep": b"a" + b"[]" * 64 + b"=1",
    "65 deep in escapes": b"a" + b"%5Bb%5D" * 64 + b"=1",
    "100,000 deep": b"a" + b"[b]" * 100_000 + b"=1",
    "too many": b"&".join(b"a%d=1" % index for index in range(10_001)),
    "too many items": b"&".join([b"a[]=1"] * 10_001),
    "too many of the same": b"&".join([b"a=1"] * 10_001),
    "too many without names": b"a=1&" + b"&".join([b"=1"] * 10_001),
}

READ = {
    **_read("READ"),
    "a giant key": Read(b'{"' + b"k" * 500_000 + b'": 1}', {"k" * 500_000: 1}),
    "a long fraction": Read(value(b"0.1" + b"0" * 10_000), {"a": 0.1}),
    "64 lists": Read(nested(64), {"a": json.loads("[" * 63 + "]" * 63)}),
    "brackets in a text": Read(text(b"[" * 1000 + b"{" * 1000), {"a": "[" * 1000 + "{" * 1000}),
    "commas in a text": Read(text(b"," * 50_000), {"a": "," * 50_000}),
    "10,000 texts under keys, of commas": Read(
        b"{" + b",".join(b'"%d":","' % key for key in range(10_000)) + b"}",
        {str(key): "," for key in range(10_000)},
    ),
    "10,000 keys": Read(
        b"{" + b",".join(b'"%d":0' % key for key in range(10_000)) + b"}",
        {str(key): 0 for key in range(10_000)},
    ),
}

READ_FORMS = {
    **_read("READ_FORMS", FORM),
    "an index beyond everything": Read(
        b"a[%s]=1&a[]=2" % (b"9" * 400), {"a": {"9" * 400: "1", "0": "2"}}, FORM
    ),
    **{
        f"an escape {before} bytes before a piece ends": Read(
            b"a=" + b"+" * (2**16 - before) + b"%c3%a9%%41%4",
            {"a": " " * (2**16 - before) + "é%A%4"},
            FORM,
        )
        for before in range(9)
    },
    "10,000 fields": Read(
        b"&".join(b"a%d=" % index for index in range(10_000)),
        {f"a{index}": "" for index in range(10_000)},
        FORM,
    ),
}
