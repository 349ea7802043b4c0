"""Multipart forms: readable ones with their parameters, and unreadable ones (C3)."""

from typing import Any

from contract.bodies import FORM, JSON, MULTIPART, Read

END = b"--XX--\r\n"


def part(head: bytes = b'name="a"', text: bytes = b"1") -> bytes:
    return b"--XX\r\nContent-Disposition: form-data; " + head + b"\r\n\r\n" + text + b"\r\n"


def parts(head: bytes = b'name="a"', text: bytes = b"1") -> tuple[bytes, str]:
    """A complete multipart form with one part."""
    return part(head, text) + END, MULTIPART


NESTED = b'--YY\r\nContent-Disposition: form-data; name="b"\r\n\r\n2\r\n--YY--'

UNREADABLE_MULTIPARTS: dict[str, tuple[bytes, str]] = {
    "no boundary in it": (b"a=1", MULTIPART),
    "no boundary given": (part() + END, "multipart/form-data"),
    "an empty boundary": (part() + END, "multipart/form-data; boundary="),
    "another boundary": (part() + END, "multipart/form-data; boundary=Y"),
    "a boundary of another case": (part() + END, "multipart/form-data; boundary=xx"),
    "white space alone": (b" \r\n", MULTIPART),
    "JSON": (b'{"a": 1}', MULTIPART),
    "no end": (part(), MULTIPART),
    "an end cut short": (part() + b"--XX-", MULTIPART),
    "half a head": (b"--XX\r\nContent-Disp", MULTIPART),
    "line ends without returns": ((part() + END).replace(b"\r\n", b"\n"), MULTIPART),
    "a boundary that goes on": parts(text=b"1\r\n--XXY"),
    "no name": (b"--XX\r\nContent-Disposition: form-data\r\n\r\n1\r\n" + END, MULTIPART),
    "no disposition": (b"--XX\r\n\r\n1\r\n" + END, MULTIPART),
    "an attachment": (
        b'--XX\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n' + END,
        MULTIPART,
    ),
    "a name without an end": parts(b'name="a'),
    "a name in another notation": parts(b"name*=UTF-8''a"),
    "a name of 100 kB": parts(b'name="' + b"a" * 100_000 + b'"'),
    "a name that is no UTF-8": parts(b'name="\xff"'),
    "a NUL in a name": parts(b'name="a\x00b"'),
    "20 headers": parts(b'name="a"' + b"\r\nX-A: 1" * 20),
    "a header without a colon": parts(b'name="a"\r\nnonsense'),
    "a folded header": parts(b'\r\n name="a"'),
    "a length that is too long": parts(b'name="a"\r\nContent-Length: 999'),
    "a length that is too short": parts(b'name="a"\r\nContent-Length: 0'),
    "invalid UTF-8": parts(text=b"\xff"),
    "another charset": parts(b'name="a"\r\nContent-Type: text/plain; charset=latin-1', b"\xe9"),
    "NUL": parts(text=b"x\x00"),
    "too deep": parts(b'name="a' + b"[b]" * 64 + b'"'),
    "10,001 parts": (part() * 10_001 + END, MULTIPART),
    "10,001 files": (part(b'name="a"; filename="x"') * 10_001 + END, MULTIPART),
    "a file that no parameter takes": parts(b'name="a"; filename="../../x.png"'),
    "a file with a NUL": parts(b'name="a"; filename="x\x00.png"'),
    "another kind of parts": (part() + END, "multipart/mixed; boundary=XX"),
}

READ_MULTIPARTS: dict[str, tuple[tuple[bytes, str], dict[str, Any]]] = {
    "an end alone": ((END, MULTIPART), {}),
    "an end without a line end": ((part() + b"--XX--", MULTIPART), {"a": "1"}),
    "something around it": ((b"before\r\n" + part() + END + b"behind", MULTIPART), {"a": "1"}),
    "something behind the end": (
        (part() + END + part(text=b"2") + END, MULTIPART),
        {"a": "1"},
    ),
    "a boundary in quotes": ((part() + END, 'multipart/form-data; boundary="XX"'), {"a": "1"}),
    "capitals": ((part() + END, "MULTIPART/FORM-DATA; BOUNDARY=XX"), {"a": "1"}),
    "a boundary inside of a text": (parts(text=b"x--XX--y\r\n --XX"), {"a": "x--XX--y\r\n --XX"}),
    "line ends in a name": (parts(b'name="a%0D%0Ab%22"'), {'a\r\nb"': "1"}),
    "a quote in a name": (parts(b'name="a\\"b"'), {'a"b': "1"}),
    "another alphabet in a name": (parts('name="я"'.encode()), {"я": "1"}),
    "a form inside of it": (
        parts(b'name="a"\r\nContent-Type: multipart/mixed; boundary=YY', NESTED),
        {"a": NESTED.decode()},
    ),
    "JSON in a part": (
        parts(b'name="a"\r\nContent-Type: application/json', b'{"b": 1}'),
        {"a": '{"b": 1}'},
    ),
    "an encoding of a part": (
        parts(b'name="a"\r\nContent-Transfer-Encoding: base64', b"MQ=="),
        {"a": "MQ=="},
    ),
    "no file chosen": (parts(b'name="a"; filename=""', b""), {"a": ""}),
    "10,000 parts": ((part() * 10_000 + END, MULTIPART), {"a": "1"}),
}

# A body under a wrong content type: unknown types are read as JSON, nothing is unpacked.
MISTAKEN: dict[str, Read] = {
    "JSON as text": Read(b'{"a": 1}', {"a": 1}, "text/plain"),
    "JSON as HTML": Read(b'{"a": 1}', {"a": 1}, "text/html; charset=utf-16"),
    "JSON as a picture": Read(b'{"a": 1}', {"a": 1}, "image/png"),
    "JSON as XML": Read(b'{"a": 1}', {"a": 1}, "application/xml"),
    "JSON as a form": Read(b'{"a": 1}', {"a": 1}, FORM),
    "JSON in another charset": Read(b'{"a": 1}', {"a": 1}, f"{JSON}; charset=utf-16"),
    "JSON under a type of nonsense": Read(b'{"a": 1}', {"a": 1}, ";;=,/\xe9"),
    "JSON under a type of 50 kB": Read(b'{"a": 1}', {"a": 1}, "a/b;" + "c=d;" * 12_500),
    "a form in another charset": Read(b"a=%C3%A9", {"a": "é"}, f"{FORM}; charset=latin-1"),
}
