"""Answers that are the same for everybody, with the digest of what they say."""

import hashlib

from landyard import PublicAnswer

Headers = tuple[tuple[bytes, bytes], ...]


def answer(body: bytes, kind: str, headers: Headers) -> PublicAnswer:
    """Answer with a body of this content type, packed for those who take it so."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    lasting = (*headers, (b"etag", etag))
    described = ((b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()))
    return PublicAnswer(200, (*described, *lasting), body, etag, lasting).with_packed()
