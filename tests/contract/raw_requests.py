"""HTTP requests that no client library writes, byte by byte, to test the HTTP parser.

`{call}` stands for the address of a call that succeeds, `/rest/<user>/<code>/methods`.
"""

from corpora import read_data
from msgspec import Struct


class Raw(Struct, frozen=True):
    """The bytes sent on a connection, and the status of each answer until the server closes it."""

    sent: bytes
    answers: tuple[int, ...]


def asking(line: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    return b"\r\n".join([line, b"Host: x", *headers, b"", body])


def post(*headers: bytes, body: bytes = b"") -> bytes:
    return asking(b"POST {call} HTTP/1.1", *headers, body=body)


def _posts(name: str, status: int, *first: bytes) -> dict[str, Raw]:
    """Posts with the headers and bodies of the JSON file, where each character is one byte."""
    table = read_data(__file__, name, dict[str, tuple[list[str], str]])
    return {
        what: Raw(post(*first, *map(_bytes, headers), body=_bytes(body)), (status,))
        for what, (headers, body) in table.items()
    }


def _bytes(text: str) -> bytes:
    return text.encode("latin-1").replace(b"{hidden}", HIDDEN)


CLOSE = b"Connection: close"
CHUNKED = b"Transfer-Encoding: chunked"
# If these bytes were read as a second request, the server would answer it.
HIDDEN = asking(b"GET /healthz HTTP/1.1", CLOSE)

LONG = {
    "an extension of a chunk of 50 kB": Raw(
        post(CLOSE, CHUNKED, body=b"2;" + b"x" * 50_000 + b"\r\n{}\r\n0\r\n\r\n"), (200,)
    ),
    "a verb of 10 kB": Raw(asking(b"A" * 10_000 + b" {call} HTTP/1.1"), (400,)),
    "a target of 1 MB": Raw(asking(b"GET /rest/" + b"a" * 2**20 + b" HTTP/1.1", CLOSE), (400,)),
    "a query of 60 kB": Raw(asking(b"GET {call}?" + b"a" * 60_000 + b" HTTP/1.1", CLOSE), (200,)),
    "a greeting of TLS": Raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), (400,)),
    "three at once": Raw(post() * 2 + post(CLOSE), (200, 200, 200)),
}

RAW = {
    **_posts("ANSWERED", 200, CLOSE),
    **_posts("REFUSED", 400),
    **{
        what: Raw(_bytes(sent), answers)
        for what, (sent, answers) in read_data(
            __file__, "WHOLE", dict[str, tuple[str, tuple[int, ...]]]
        ).items()
    },
    **LONG,
}
