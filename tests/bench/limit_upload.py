"""`landing.block.uploadfile` of the raw limit: Pillow reads the picture in the process."""

import base64
import io
import os
import re
import secrets
from pathlib import Path
from typing import Any

from bench.limit_methods import Caller, Refused
from bench.limit_store import EDIT, VIEW, Execute
from msgspec import Struct
from PIL import Image

_ROOT = Path(os.environ.get("BENCH_FILES", "."))
_TYPES = {"JPEG": ("jpg", "image/jpeg"), "PNG": ("png", "image/png"), "GIF": ("gif", "image/gif")}
_TARGET = (
    "SELECT p.id, COALESCE(r.rights, a.rights) * a.sites FROM block b JOIN page p ON p.id = b.page"
    " JOIN account a ON a.id = ? LEFT JOIN site_right r ON r.account = a.id AND r.site = p.site"
    " WHERE b.id = ? AND b.deleted = 0 AND p.deleted = 0"
)
_ADD = (
    "INSERT INTO file (token, name, type, size, page, block, temporary, created_at, created_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, CURRENT_TIMESTAMP, ?) RETURNING id"
)


class UploadFile(Struct, frozen=True):
    block: int
    picture: list[str]
    temp: bool = False
    scope: str | None = None


def upload(execute: Execute, caller: Caller, params: UploadFile) -> dict[str, Any]:
    target = execute(_TARGET, (caller.user, params.block)).fetchone()
    if target is None or not target[1] & VIEW or not target[1] & EDIT:
        raise Refused("BLOCK_NOT_FOUND")
    content = base64.b64decode(params.picture[1], validate=True)
    try:
        picture = Image.open(io.BytesIO(content))
        picture.load()
    except (OSError, ValueError) as error:
        raise Refused("FILE_ERROR") from error
    suffix, kind = _TYPES[picture.format or ""]
    name = re.sub(r"[^A-Za-z0-9._-]", "_", params.picture[0].rpartition(".")[0]) + f".{suffix}"
    key = secrets.token_hex(16)
    _write(key, name, content)
    size, temporary = len(content), int(params.temp)
    row = execute(_ADD, (key, name, kind, size, target[0], params.block, temporary, caller.user))
    return {"id": row.fetchone()[0], "src": f"/files/{key}/{name}"}


def _write(key: str, name: str, content: bytes) -> None:
    """Write the bytes; they and the names in their folders are on disk when this returns."""
    folder = _ROOT / key[:2] / key
    folder.mkdir(parents=True)
    with (folder / name).open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    for path in (folder, folder.parent, _ROOT):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
