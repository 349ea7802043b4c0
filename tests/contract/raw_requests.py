"""Requests as no client writes them, byte by byte: what the reading of HTTP itself must survive.

`{call}` stands for the address of a call that succeeds, `/rest/<user>/<code>/methods`.
"""

from msgspec import Struct


class Raw(Struct, frozen=True):
    """What is sent on a connection, and the statuses of all answers until the server hangs up."""

    sent: bytes
    answers: tuple[int, ...]


def asking(line: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    return b"\r\n".join([line, b"Host: x", *headers, b"", body])


def post(*headers: bytes, body: bytes = b"") -> bytes:
    return asking(b"POST {call} HTTP/1.1", *headers, body=body)


def refused(*headers: bytes, body: bytes = b"") -> Raw:
    return Raw(post(*headers, body=body), (400,))


def answered(*headers: bytes, body: bytes = b"") -> Raw:
    return Raw(post(CLOSE, *headers, body=body), (200,))


CLOSE = b"Connection: close"
CHUNKED = b"Transfer-Encoding: chunked"
LAST = b"0\r\n\r\n"
# Were it taken for a second request, it would be answered as one.
HIDDEN = asking(b"GET /healthz HTTP/1.1", CLOSE)

FRAMING = {
    "no length": answered(),
    "a length of nothing": answered(b"Content-Length: 0"),
    "chunks": answered(CHUNKED, body=b"1\r\n{\r\n1;x=y\r\n}\r\n" + LAST),
    "chunks with trailers": answered(CHUNKED, body=b"2\r\n{}\r\n0\r\nX-A: b\r\n\r\n"),
    "chunked behind a tab": answered(b"Transfer-Encoding:\tchunked", body=LAST),
    "an extension of a chunk of 50 kB": answered(
        CHUNKED, body=b"2;" + b"x" * 50_000 + b"\r\n{}\r\n" + LAST
    ),
    "an expectation": answered(b"Expect: 100-continue", b"Content-Length: 2", body=b"{}"),
    "a length and chunks": refused(b"Content-Length: 5", CHUNKED, body=LAST + HIDDEN),
    "chunks and a length": refused(CHUNKED, b"Content-Length: 5", body=LAST + HIDDEN),
    "two lengths": refused(b"Content-Length: 2", b"Content-Length: 0", body=b"{}"),
    "two lengths alike": refused(b"Content-Length: 2", b"Content-Length: 2", body=b"{}"),
    "two lengths in one": refused(b"Content-Length: 2, 2", body=b"{}"),
    "a length with a plus": refused(b"Content-Length: +2", body=b"{}"),
    "a negative length": refused(b"Content-Length: -2", body=b"{}"),
    "a hexadecimal length": refused(b"Content-Length: 0x2", body=b"{}"),
    "a length of words": refused(b"Content-Length: two", body=b"{}"),
    "an endless length": refused(b"Content-Length: " + b"9" * 40, body=b"{}"),
    "a length too short": refused(b"Content-Length: 2", body=b"{}}" + HIDDEN),
    "another encoding": refused(b"Transfer-Encoding: gzip", body=LAST + HIDDEN),
    "another encoding behind chunks": refused(
        b"Transfer-Encoding: chunked, identity", body=LAST + HIDDEN
    ),
    "chunked twice": refused(CHUNKED, CHUNKED, body=LAST + HIDDEN),
    "almost chunked": refused(b"Transfer-Encoding: xchunked", body=LAST + HIDDEN),
    "chunked with a space before the colon": refused(
        b"Transfer-Encoding : chunked", body=LAST + HIDDEN
    ),
    "chunked on a line of its own": refused(b"Transfer-Encoding:", b" chunked", body=LAST + HIDDEN),
    "a chunk size of words": refused(CHUNKED, body=b"zz\r\n{}\r\n" + LAST),
    "a negative chunk": refused(CHUNKED, body=b"-2\r\n{}\r\n" + LAST),
    "a chunk size with a prefix": refused(CHUNKED, body=b"0x2\r\n{}\r\n" + LAST),
    "an endless chunk size": refused(CHUNKED, body=b"f" * 40 + b"\r\n{}"),
    "a chunk longer than it says": refused(CHUNKED, body=b"1\r\n{}\r\n" + LAST),
    "chunks without returns": refused(CHUNKED, body=b"2\n{}\n0\n\n"),
}

HEADERS = {
    "a folded header": refused(b"X-A: b", b" c"),
    "a header without a colon": refused(b"nonsense"),
    "a header without a name": refused(b": x"),
    "a name with spaces": refused(b"X A: b"),
    "a NUL in a header": refused(b"X-A: b\x00c"),
    "a line end in a header": refused(b"X-A: b\rX-B: c"),
    "line ends without returns": Raw(post(CLOSE).replace(b"\r\n", b"\n"), (400,)),
    "a request id of two lines": refused(b"X-Request-Id: a\rSet-Cookie: b"),
    "bytes that are no text": answered(b"X-A: \xff\xfe"),
    "an upgrade": Raw(post(b"Connection: Upgrade, close", b"Upgrade: h2c"), (200,)),
}

LINES = {
    "a verb of 10 kB": Raw(asking(b"A" * 10_000 + b" {call} HTTP/1.1"), (400,)),
    "a verb in small letters": Raw(asking(b"post {call} HTTP/1.1"), (400,)),
    "a target of 1 MB": Raw(asking(b"GET /rest/" + b"a" * 2**20 + b" HTTP/1.1", CLOSE), (400,)),
    "a query of 60 kB": Raw(asking(b"GET {call}?" + b"a" * 60_000 + b" HTTP/1.1", CLOSE), (200,)),
    "no host": Raw(b"GET {call} HTTP/1.1\r\nConnection: close\r\n\r\n", (200,)),
    "HTTP/1.0": Raw(asking(b"GET {call} HTTP/1.0"), (200,)),
    "HTTP/0.9": Raw(b"GET {call}\r\n\r\n", (200,)),
    "HTTP/2": Raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400,)),
    "HTTP/3.7": Raw(asking(b"GET {call} HTTP/3.7"), (400,)),
    "an address for a target": Raw(asking(b"GET http://y{call} HTTP/1.1", CLOSE), (200,)),
    "a target without a slash": Raw(asking(b"GET rest HTTP/1.1"), (400,)),
    "a tunnel": Raw(asking(b"CONNECT y:443 HTTP/1.1"), (400,)),
    "a NUL in the target": Raw(asking(b"GET {call}\x00 HTTP/1.1"), (400,)),
    "raw UTF-8 in the target": Raw(asking("GET /rest/é HTTP/1.1".encode()), (400,)),
    "a greeting of TLS": Raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), (400,)),
    "another protocol": Raw(b"EHLO x\r\n", (400,)),
    "an answer": Raw(b"HTTP/1.1 200 OK\r\n\r\n", (400,)),
}

PIPELINES = {
    "three at once": Raw(post() * 2 + post(CLOSE), (200, 200, 200)),
    "nothing but line ends first": Raw(b"\r\n\r\n" + post(CLOSE), (200,)),
    "the rest of one, then a good one": Raw(b'"}' + post(CLOSE), (400,)),
}

RAW = {**FRAMING, **HEADERS, **LINES, **PIPELINES}
