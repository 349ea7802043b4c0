"""The messages between a worker and its decoders, each sent behind its length.

A task's picture comes behind the rest, with a length of its own: it may be large, and so is not
copied on either side.
"""

from typing import BinaryIO

import msgspec
from msgspec import Struct

from landyard_uploads.decode.box import Box

LENGTH = 4  # bytes, the most significant first
READY = b"!"


class Task(Struct, frozen=True):
    """A picture to be looked at, and resized where there is a box.

    `most_bytes` is for the result, `megapixels` for all frames of what is given. With `widths` it
    is made in each of them that is less than its own, in each of the `kinds`. `remove_location`:
    a picture that is kept as it is loses what tells where it was taken.
    """

    content: bytes
    box: Box | None
    allow_svg: bool
    megapixels: int
    most_bytes: int
    widths: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    remove_location: bool = False


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


def packed(message: Reply) -> bytes:
    """Return a reply as it is sent."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH, "big") + body


def head_of(given: Task) -> bytes:
    """Return what is sent of a task before its picture."""
    body = msgspec.msgpack.encode(msgspec.structs.replace(given, content=b""))
    lengths = (len(body), len(given.content))
    return b"".join(length.to_bytes(LENGTH, "big") for length in lengths) + body


def next_task(asked: BinaryIO) -> Task | None:
    """Read a task; None at the end."""
    if not (lengths := asked.read(2 * LENGTH)):
        return None
    body, content = (
        asked.read(int.from_bytes(each, "big")) for each in (lengths[:LENGTH], lengths[LENGTH:])
    )
    return msgspec.structs.replace(msgspec.msgpack.decode(body, type=Task), content=content)


def reply(body: bytes | bytearray | memoryview) -> Reply:
    """Read a reply; raises `msgspec.MsgspecError` for anything else."""
    return _replies.decode(body)
