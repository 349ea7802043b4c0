"""Public HTTP answers with an entity tag, the same for every client."""

import hashlib

from landyard import PublicAnswer

Headers = tuple[tuple[bytes, bytes], ...]


def answer(body: bytes, kind: str, headers: Headers) -> PublicAnswer:
    """Return an answer with this body and content type, also in compressed form."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    lasting = (*headers, (b"etag", etag))
    described = ((b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()))
    return PublicAnswer(200, (*described, *lasting), body, etag, lasting).with_packed()
