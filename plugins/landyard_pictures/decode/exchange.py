"""The messages between a worker and its decoders, each sent after its length.

A task's picture is sent last, with its own length, so that large pictures are not copied.
"""

from typing import BinaryIO

import msgspec
from msgspec import Struct

from .box import Box

LENGTH = 4  # bytes, the most significant first
READY = b"!"


class Task(Struct, frozen=True):
    """A picture to recognise, to resize to a box, or to make variants of.

    `most_bytes` limits the result, `megapixels` all frames of the picture. With `widths`, variants
    are made for each width below its own, in each of the `kinds`. `remove_location`: remove the
    place of recording from a picture that is not resized.
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
    """The resulting picture; without content it is the original one."""

    kind: str
    content: bytes | None


class Variant(Struct, frozen=True):
    """A picture in another width, in pixels, and another kind."""

    width: int
    kind: str
    content: bytes


class Varied(Struct, frozen=True, tag=True):
    """A picture's size when shown upright, and its variants."""

    width: int
    height: int
    variants: list[Variant]


class Refused(Struct, frozen=True, tag=True):
    """The reason why a picture is refused."""

    problem: str


Reply = Made | Varied | Refused

_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def packed(message: Reply) -> bytes:
    """Return the encoded message of a reply."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH, "big") + body


def head_of(task: Task) -> bytes:
    """Return the encoded part of a task before its picture."""
    body = msgspec.msgpack.encode(msgspec.structs.replace(task, content=b""))
    lengths = (len(body), len(task.content))
    return b"".join(length.to_bytes(LENGTH, "big") for length in lengths) + body


def next_task(stream: BinaryIO) -> Task | None:
    """Read the next task; None at the end."""
    if not (lengths := stream.read(2 * LENGTH)):
        return None
    body, content = (
        stream.read(int.from_bytes(each, "big")) for each in (lengths[:LENGTH], lengths[LENGTH:])
    )
    return msgspec.structs.replace(msgspec.msgpack.decode(body, type=Task), content=content)


def reply(body: bytes | bytearray | memoryview) -> Reply:
    """Decode a reply; raises `msgspec.MsgspecError` for anything else."""
    return _replies.decode(body)
