"""The messages between a worker and its decoders, each sent behind its length."""

import msgspec
from msgspec import Struct

from landyard_uploads.decode.box import Box

LENGTH = 4  # bytes, the most significant first
READY = b"!"


class Task(Struct, frozen=True):
    """A picture to be looked at, and resized where there is a box.

    `most_bytes` is for the result, `megapixels` for all frames of what is given. With `widths` it
    is made in each of them that is less than its own, in each of the `kinds`.
    """

    content: bytes
    box: Box | None
    allow_svg: bool
    megapixels: int
    most_bytes: int
    widths: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()


class Made(Struct, frozen=True, tag=True):
    """What became of a picture; no content means that which was given."""

    kind: str
    content: bytes | None


class Variant(Struct, frozen=True):
    """A picture in another width, in pixels, and another kind."""

    width: int
    kind: str
    content: bytes


class Varied(Struct, frozen=True, tag=True):
    """A picture's own size as it is shown, upright, and its variants."""

    width: int
    height: int
    variants: list[Variant]


class Refused(Struct, frozen=True, tag=True):
    """Why a picture is not taken."""

    problem: str


Reply = Made | Varied | Refused

_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def packed(message: Task | Reply) -> bytes:
    """Return a message as it is sent."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH, "big") + body


def task(body: bytes | bytearray) -> Task:
    """Read a task."""
    return msgspec.msgpack.decode(body, type=Task)


def reply(body: bytes | bytearray) -> Reply:
    """Read a reply; raises `msgspec.MsgspecError` for anything else."""
    return _replies.decode(body)
