"""`landing.block.uploadfile`: store a picture for a block (contract 4.1; U1 to U7)."""

from typing import Annotated, Any
from urllib.parse import unquote

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from landyard import (
    Bounds,
    Call,
    Example,
    FilePart,
    Id,
    MethodGroup,
    MissingParams,
    Truthy,
    as_list,
)
from landyard_landing import errors
from landyard_pictures.decode.box import LARGEST, Box
from landyard_pictures.decode.exchange import Task
from landyard_pictures.decode.kinds import EXTENSIONS, too_large
from landyard_pictures.decoders import decoders
from landyard_pictures.downloading import fetch
from landyard_pictures.names import extension_of, stored_name
from landyard_pictures.saving import KeptFile, NewFile, find_target, save_file
from landyard_pictures.upload_errors import FileError
from landyard_pictures.upload_settings import UploadSettings

# A picture is one long text, whose length the setting `max_body` limits.
uploads = MethodGroup(scope="landing", bounds=Bounds(size=None, values=1_000))

_USUAL_WAY = 1
_BLANKS = " \t\r\n"
_WITHOUT_BLANKS = str.maketrans("", "", _BLANKS)


class Resize(Struct, frozen=True):
    """`width`, `height`: the box in pixels; `resize_type`: how to resize the picture to it.

    `remove_location`: whether to remove the place of recording from the file; the default is the
    setting `uploads.remove_location`.
    """

    width: int | None = None
    height: int | None = None
    resize_type: int | None = None
    remove_location: Truthy | UnsetType = UNSET

    def box(self) -> Box | None:
        """Return the box; None without both of its sides (U2, U3)."""
        width, height = self.width or 0, self.height or 0
        if width < 1 or height < 1:
            return None
        way = self.resize_type if self.resize_type in {0, 1, 2} else _USUAL_WAY
        return Box(min(width, LARGEST), min(height, LARGEST), way)


_PICTURE = Meta(
    description="string, or array of a file name and Base64 content",
    extra_json_schema={
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        ]
    },
)


class UploadFile(Struct, frozen=True):
    """`block`: a block's id; `picture`: an address, or a name and Base64 content.

    `ext`: an extension for an address without one; `temp`: whether the file is temporary.
    """

    block_id: Id = field(name="block")
    picture: Annotated[FilePart | Any, _PICTURE]
    ext: str = ""
    resize: Resize = field(name="params", default=Resize())
    temporary: Truthy = field(name="temp", default=False)
    scope: str | None = None


_DOT = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@uploads.method(
    "landing.block.uploadfile",
    right="edit",
    writes=True,
    slow=True,
    seconds=120.0,  # a download, a decoder, and the queues before them
    errors=[MissingParams, errors.BlockNotFound, FileError],
    example=Example(
        {"block": 101, "picture": ["dot.gif", _DOT]},
        result={"id": 1, "src": "/files/a47247d23711e3c5cf279abefc300d4e/dot.gif"},
    ),
)
def upload(call: Call, params: UploadFile) -> KeptFile:
    """Store a picture for a block, draft or published; `updatenodes` then puts it into the content.

    `picture` is an http or https address, an array of a file name and Base64 content, or a file in
    a form (`multipart/form-data`). With `params` of `width` and `height` it is resized:
    `resize_type` 0 fits it into the box, 1 (default) fits its larger side, 2 crops it to exactly
    the box. A picture that is not resized is stored unchanged, including the place where a phone
    took it, unless `params` has `remove_location`. A `temp` file is removed after a day unless a
    block uses it. Answers the file's `id` and its `src`, a path valid on every domain of the
    service and in `updatenodes`. Needs the right to edit.
    """
    call.transaction(lambda inner: find_target(inner, params.block_id, params.scope))
    settings = call.settings(UploadSettings)
    sent_name, sent_content = _name_and_content(params, settings)
    content, kind = _prepared(sent_content, params, settings)
    extensions = EXTENSIONS[kind]
    sent_extension = extension_of(sent_name)
    name = stored_name(sent_name, sent_extension if sent_extension in extensions else extensions[0])
    try:
        new = NewFile(name, content, params.temporary)
        return save_file(call, params.block_id, params.scope, new)
    except OSError as failure:
        raise FileError("The picture could not be saved.") from failure


def _name_and_content(params: UploadFile, settings: UploadSettings) -> tuple[str, bytes]:
    """Return a picture's name and bytes."""
    match as_list(params.picture):
        case str() as url:
            return _fetched(url, params.ext, settings)
        case [str() as name, str() as text]:
            return name, _decoded(text, settings)
        case FilePart(name=name, content=content):
            if len(content) > settings.max_bytes:
                raise _too_large(len(content), settings)
            return name, content
    raise FileError("A picture is its address, or an array of a file name and Base64 content.")


def _fetched(url: str, extension: str, settings: UploadSettings) -> tuple[str, bytes]:
    from urllib3.util import parse_url  # imported late: slow, and few need it

    content = fetch(url, settings)
    name = unquote((parse_url(url.strip()).path or "").rpartition("/")[2])
    extension = extension.lstrip(".")
    if extension.isalnum() and not extension_of(name):
        name = f"{name}.{extension}"
    return name, content


def _decoded(text: str, settings: UploadSettings) -> bytes:
    if len(text) > 2 * settings.max_bytes:  # too long even with line breaks
        raise _too_large(len(text) * 3 // 4, settings)
    # A text without blanks is not copied, and is decoded by one call of C, so others wait briefly.
    if any(blank in text for blank in _BLANKS):
        text = text.translate(_WITHOUT_BLANKS)
    try:
        content = msgspec.convert(text + "=" * (-len(text) % 4), bytes)
    except (msgspec.ValidationError, ValueError) as unreadable:
        raise FileError("The content must be Base64, without a `data:` prefix.") from unreadable
    if len(content) > settings.max_bytes:
        raise _too_large(len(content), settings)
    return content


def _prepared(content: bytes, params: UploadFile, settings: UploadSettings) -> tuple[bytes, str]:
    """Return the bytes to store, and their kind."""
    remove_location = params.resize.remove_location
    task = Task(
        content,
        params.resize.box(),
        settings.allow_svg,
        settings.max_megapixels,
        settings.max_bytes,
        remove_location=settings.remove_location
        if isinstance(remove_location, UnsetType)
        else remove_location,
    )
    result = decoders(settings).made(task)
    return content if result.content is None else result.content, result.kind


def _too_large(count: int, settings: UploadSettings) -> FileError:
    return FileError(too_large(count, settings.max_bytes))
