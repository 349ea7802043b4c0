"""Uploaded files at their addresses (H4, U7)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from litestar import Request, Response, route
from litestar.params import FromPath
from litestar.response import Stream

from landyard import Kernel
from landyard_landing.files import FILE_TYPES, file_store
from landyard_landing.web.answers import FILE_POLICY, FOREVER, READING, conditional, nothing_there

_CHUNK = 256 * 1024


def file_routes(kernel: Kernel) -> list[object]:
    """Build the route of the uploaded files."""
    store = file_store(kernel.settings)

    @route("/files/{key:str}/{name:str}", http_method=READING)
    async def file(
        request: Request[Any, Any, Any], key: FromPath[str], name: FromPath[str]
    ) -> Response[Any]:
        """Serve an uploaded file: its bytes never change, and its key never names another."""
        path = store.path(key, name)
        size = None if path is None else await asyncio.to_thread(_size, path)
        if path is None or size is None:
            return nothing_there()
        kind = FILE_TYPES.get(path.suffix[1:], "application/octet-stream")
        headers = {
            "Content-Security-Policy": FILE_POLICY,
            "Content-Disposition": f'inline; filename="{path.name}"',
            "Cache-Control": FOREVER,
        }
        told = conditional(request, b"", kind, f'"{key}"', headers)
        if told.status_code == 304:
            return told
        return Stream(_chunks(path), headers={**told.headers, "Content-Length": str(size)})

    return [file]


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    # The disk may be slow, and so may the visitor: neither holds up the loop or the memory.
    with await asyncio.to_thread(path.open, "rb") as file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK):
            yield chunk
