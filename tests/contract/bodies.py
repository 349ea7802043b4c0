"""Bodies that strangers send: what is read of them, and what cannot be read (C3).

Each is a raw body by what is odd about it. What has a value besides is read as that.
"""

import gzip
import json
import zlib
from typing import Any

from msgspec import Struct

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=XX"


class Read(Struct, frozen=True):
    """A body that is read: under a content type, as parameters."""

    body: bytes
    gives: dict[str, Any]
    kind: str = JSON


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """An object whose member is nested `depth` levels deep, the object itself counted."""
    return b'{"a": ' + opening * (depth - 1) + closing * (depth - 1) + b"}"


def nested_objects(depth: int) -> bytes:
    return nested(depth, b'{"a":', b"}").replace(b":}", b":1}")


def nested_both(depth: int) -> bytes:
    return nested(depth, b'[{"a":', b"}]").replace(b":}", b":1}")


def text(raw: bytes) -> bytes:
    """An object with one text, written as it is."""
    return b'{"a": "' + raw + b'"}'


def value(raw: bytes) -> bytes:
    return b'{"a": ' + raw + b"}"


NO_OBJECT = {
    "a number": b"5",
    "a string": b'"x"',
    "an empty string": b'""',
    "null": b"null",
    "true": b"true",
    "false": b"false",
    "a list": b"[1]",
    "a list of an object": b"[{}]",
    "a list of a list": b"[[]]",
    "a list of null": b"[null]",
}

SYNTAX = {
    "not JSON": b"lid=12",
    "half of it": b'{"a": ',
    "a half of a word": b'{"a": tru',
    "a text without an end": b'{"a": "x}',
    "a key without an end": b'{"a: 1}',
    "a backslash at the end": b'{"a": "\\',
    "two of them": b"{}{}",
    "two of them with a comma": b'{"a": 1},{"b": 2}',
    "two lines of them": b'{"a": 1}\n{"a": 2}\n',
    "something behind it": b'{"a": 1} x',
    "a bracket behind it": b'{"a": 1}]',
    "brackets that cross": b'{"a": [}]',
    "a comma too many": b'{"a": 1,}',
    "a comma too many in a list": value(b"[1,]"),
    "a comma first": b'{,"a": 1}',
    "commas alone": value(b"[,,,]"),
    "no comma": b'{"a": 1 "b": 2}',
    "no colon": b'{"a" 1}',
    "two colons": b'{"a":: 1}',
    "a semicolon": b'{"a": 1; "b": 2}',
    "a key without a value": b'{"a"}',
    "a key that is a number": b"{1: 2}",
    "a key that is null": b"{null: 1}",
    "a key without quotes": b"{a: 1}",
    "single quotes": b"{'a': 1}",
    "a comment": b'{"a": /* one */ 1}',
    "a line of comment": b'// one\n{"a": 1}',
    "a hash": b'{"a": 1} # one',
    "a call": b'f({"a": 1})',
    "a guard against inclusion": b")]}',\n" + b'{"a": 1}',
    "Python": b'{"a": True, "b": None}',
    "undefined": value(b"undefined"),
    "XML": b'<?xml version="1.0"?><a>1</a>',
    "entities": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>',
    "YAML": b"a: 1\n",
    "MessagePack": b"\x81\xa1a\x01",
    "a pickle": b"\x80\x04}\x94\x8c\x01a\x94K\x01s.",
    "a binary": bytes(range(256)),
    "an unknown escape": text(rb"\x41"),
    "an escape cut short": text(rb"\u12"),
    "an escape of other letters": text(rb"\u00zz"),
    "a raw line end": text(b"x\ny"),
    "a raw tab": text(b"x\ty"),
    "a raw escape": text(b"\x1b[2J"),
}

NUMBERS = {
    "NaN": value(b"NaN"),
    "minus NaN": value(b"-NaN"),
    "Infinity": value(b"Infinity"),
    "minus Infinity in a list": value(b"[-Infinity]"),
    "a zero first": value(b"012"),
    "a plus": value(b"+1"),
    "a minus alone": value(b"-"),
    "two minuses": value(b"--1"),
    "hexadecimal": value(b"0x1F"),
    "a dot first": value(b".5"),
    "a dot last": value(b"5."),
    "an exponent without digits": value(b"1e"),
    "underscores": value(b"1_000"),
    "digits of another script": value("١٢".encode()),
    "beyond every float": value(b"1e400"),
    "far beyond every float": value(b"-1e999999999"),
    "5,000 digits": value(b"9" * 5000),
    "1,000,000 digits": value(b"9" * 1_000_000),
}

ENCODINGS = {
    "invalid UTF-8": text(b"\xff\xfe"),
    "invalid UTF-8 in a key": b'{"\xc3\x28": 1}',
    "invalid UTF-8 outside": b'{"a": 1}\xff',
    "cut UTF-8": text(b"\xe2\x82"),
    "a continuation alone": text(b"\x80"),
    "an overlong slash": text(b"\xc0\xaf"),
    "an overlong NUL": text(b"\xc0\x80"),
    "a long overlong slash": text(b"\xf0\x80\x80\xaf"),
    "a surrogate in UTF-8": text(b"\xed\xa0\x80"),
    "a pair of surrogates in UTF-8": text(b"\xed\xa0\xbd\xed\xb8\x80"),
    "beyond Unicode": text(b"\xf4\x90\x80\x80"),
    "five bytes": text(b"\xf8\x88\x80\x80\x80"),
    "latin-1": text("é".encode("latin-1")),
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "UTF-16 with a mark": '{"a": 1}'.encode("utf-16"),
    "UTF-16, little end first": '{"a": 1}'.encode("utf-16-le"),
    "UTF-16, big end first": '{"a": 1}'.encode("utf-16-be"),
    "UTF-32": '{"a": 1}'.encode("utf-32"),
    "UTF-7": b"+AHs-+ACI-a+ACI-:1+AH0-",
    "EBCDIC": '{"a": 1}'.encode("cp500"),
    "a lone surrogate": text(rb"\ud800"),
    "a lone low surrogate": text(rb"\udc00"),
    "a surrogate and a letter": text(rb"\ud800x"),
    "surrogates in the wrong order": text(rb"\udc00\ud800"),
    "a lone surrogate in a key": rb'{"\ud800": 1}',
    "NUL": text(rb"x\u0000y"),
    "NUL in a key": rb'{"a": {"\u0000": 1}}',
    "NUL in a list": value(rb'[[["\u0000"]]]'),
    "a raw NUL": text(b"\x00"),
    "a NUL before it": b'\x00{"a": 1}',
    "a NUL behind it": b'{"a": 1}\x00',
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

UNREADABLE_JSON = {**NO_OBJECT, **SYNTAX, **NUMBERS, **ENCODINGS, **DEEP}

UNREADABLE_FORMS = {
    "invalid UTF-8": b"a=%ff%fe",
    "raw invalid UTF-8": b"a=\xff",
    "invalid UTF-8 in a key": b"a[%c3%28]=1",
    "an overlong slash": b"a=%c0%af",
    "a surrogate": b"a=%ed%a0%80",
    "latin-1": b"a=%e9",
    "an escape completed by what is raw": b"a=%c3\xa9",
    "what is raw completed by an escape": b"a=\xc3%a9",
    "NUL in a name": b"a%00=1",
    "NUL": b"a=x%00y",
    "a raw NUL": b"a=x\x00y",
    "NUL in a key": b"a[%00]=1",
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
    "nothing": Read(b"", {}),
    "white space": Read(b" \t\r\n", {}),
    "an empty list": Read(b" [ ] ", {}),
    "white space around it": Read(b'\r\n\t {"a" : 1 } \n', {"a": 1}),
    "a key twice": Read(b'{"a": 1, "a": {"b": 2}, "a": 3}', {"a": 3}),
    "a key twice, once escaped": Read(rb'{"a": 1, "\u0061": 2}', {"a": 2}),
    "keys in another case": Read(b'{"a": 1, "A": 2}', {"a": 1, "A": 2}),
    "an empty key": Read(b'{"": {"": 1}}', {"": {"": 1}}),
    "the names of a prototype": Read(
        b'{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}}',
        {"__proto__": {"admin": True}, "constructor": {"prototype": {"admin": True}}},
    ),
    "the names of a class": Read(
        b'{"__class__": "x", "__init__": {"__globals__": 1}}',
        {"__class__": "x", "__init__": {"__globals__": 1}},
    ),
    "the operators of a query": Read(b'{"a": {"$ne": null}}', {"a": {"$ne": None}}),
    "brackets in a key": Read(b'{"a[b]": 1, "a[]": 2}', {"a[b]": 1, "a[]": 2}),
    "an escaped backslash": Read(text(rb"\\u0000"), {"a": r"\u0000"}),
    "a slash, escaped": Read(text(rb"<\/script>"), {"a": "</script>"}),
    "control characters": Read(text(rb"\u0001\u001b\u007f"), {"a": "\x01\x1b\x7f"}),
    "a pair of surrogates": Read(text(rb"\ud83d\ude00"), {"a": "\U0001f600"}),
    "a mark of order in a text": Read(text(rb"\ufeff"), {"a": "\ufeff"}),
    "what is no character": Read(text(rb"\uffff\ufdd0"), {"a": "\uffff\ufdd0"}),
    "line separators": Read(text("\u2028\u2029".encode()), {"a": "\u2028\u2029"}),
    "text from the right": Read(text("\u202e".encode()), {"a": "\u202e"}),
    "a giant key": Read(b'{"' + b"k" * 500_000 + b'": 1}', {"k" * 500_000: 1}),
    "a minus zero": Read(value(b"-0"), {"a": 0}),
    "a small number": Read(value(b"1e-400"), {"a": 0.0}),
    "a long fraction": Read(value(b"0.1" + b"0" * 10_000), {"a": 0.1}),
    "the largest integers": Read(value(b"[%d]" % (2**64 - 1)), {"a": [2**64 - 1]}),
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
    "separators alone": Read(b"&&&", {}, FORM),
    "brackets that do not close": Read(b"a[b=1", {"a[b": "1"}, FORM),
    "brackets that do not open": Read(b"a]b=1", {"a]b": "1"}, FORM),
    "brackets alone": Read(b"[]=1", {"[]": "1"}, FORM),
    "text behind brackets": Read(b"a[b]c=1", {"a[b]c": "1"}, FORM),
    "half an escape": Read(b"a=%4&b=%&c=%zz", {"a": "%4", "b": "%", "c": "%zz"}, FORM),
    "an escape of an escape": Read(b"a=%2500%255b", {"a": "%00%5b"}, FORM),
    "a giant index": Read(b"a[999999999]=1", {"a": {"999999999": "1"}}, FORM),
    "an index beyond everything": Read(
        b"a[%s]=1&a[]=2" % (b"9" * 400), {"a": {"9" * 400: "1", "0": "2"}}, FORM
    ),
    "a negative index": Read(b"a[-1]=1", {"a": {"-1": "1"}}, FORM),
    "an index with a zero first": Read(b"a[00]=1", {"a": {"00": "1"}}, FORM),
    "a giant index, then the next": Read(
        b"a[999999998]=1&a[]=2", {"a": {"999999998": "1", "999999999": "2"}}, FORM
    ),
    "a list that becomes an object": Read(b"a[]=1&a[b]=2", {"a": {"0": "1", "b": "2"}}, FORM),
    "a text that becomes an object": Read(b"a=1&a[b][c]=2", {"a": {"b": {"c": "2"}}}, FORM),
    "an object that becomes a text": Read(b"a[b][c]=2&a[b]=1", {"a": {"b": "1"}}, FORM),
    "the names of a prototype": Read(
        b"__proto__[admin]=1&a[__class__]=2",
        {"__proto__": {"admin": "1"}, "a": {"__class__": "2"}},
        FORM,
    ),
    **{
        f"an escape {before} bytes before a piece ends": Read(
            b"a=" + b"+" * (2**16 - before) + b"%c3%a9%%41%4",
            {"a": " " * (2**16 - before) + "é%A%4"},
            FORM,
        )
        for before in range(9)
    },
    "semicolons": Read(b"a=1;b=2", {"a": "1;b=2"}, FORM),
    "JSON as a name": Read(b'a={"b":1}', {"a": '{"b":1}'}, FORM),
    "10,000 fields": Read(
        b"&".join(b"a%d=" % index for index in range(10_000)),
        {f"a{index}": "" for index in range(10_000)},
        FORM,
    ),
}
