"""Saves the files in an export, and adds their rows once the site is made."""

import secrets
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, insert, select

from landyard_content.files import FILE_TYPES, FileStore
from landyard_landing import tables
from landyard_sitekit.exchange.moving import FILE_PATH
from landyard_sitekit.exchange.reading import WrongExport
from landyard_sitekit.exchange.writing import OWN


class _Saved(Struct, frozen=True):
    """A file that is saved in the store and has no row yet."""

    key: str
    name: str
    size: int


class Brought(Struct, frozen=True):
    """The files of an export by their old paths: files saved here, and URLs of other files."""

    saved: Mapping[str, _Saved]
    elsewhere: Mapping[str, str]

    def addresses(self, connection: Connection) -> dict[str, str]:
        """Return the new addresses by old path; a file that this service has keeps its address."""
        keys = {path: path.split("/")[2] for path in self.elsewhere}
        query = select(tables.FILE.key).where(tables.FILE.key.in_([*keys.values()]))
        here = {*connection.execute(query).scalars()}
        found = {path: url for path, url in self.elsewhere.items() if keys[path] not in here}
        return found | {path: f"/files/{each.key}/{each.name}" for path, each in self.saved.items()}

    def keep(self, connection: Connection, page_id: int, now: datetime) -> None:
        """Add the rows of the saved files, as files of one page; other pages may use them."""
        rows = [
            {
                "key": each.key,
                "name": each.name,
                "type": FILE_TYPES[each.name.rpartition(".")[2]],
                "size": each.size,
                "temporary": False,
                "created_at": now,
                "page_id": page_id,
                "block_id": 0,
            }
            for each in self.saved.values()
        ]
        if rows:
            connection.execute(insert(tables.FILE.id.table), rows)


@contextmanager
def brought_files(store: FileStore, document: Any) -> Iterator[Brought]:
    """Save the files of an export, and confirm them at the end; raises `WrongExport`.

    An error in the body of the `with` removes them again.
    """
    saved: dict[str, _Saved] = {}
    elsewhere: dict[str, str] = {}
    try:
        for path, entry in _entries(document).items():
            if isinstance(content := entry.get("content"), str):
                saved[path] = _save(store, path, content)
            elif isinstance(url := entry.get("url"), str) and url.startswith(
                ("http://", "https://")
            ):
                elsewhere[path] = url
        yield Brought(saved, elsewhere)
    except BaseException:
        for each in saved.values():
            store.remove(each.key, each.name)
        raise
    for each in saved.values():
        store.confirm(each.key)


def _entries(document: Any) -> Mapping[str, Mapping[str, Any]]:
    own = document.get(OWN) if isinstance(document, Mapping) else None
    files = own.get("files") if isinstance(own, Mapping) else None
    if files is None:
        return {}
    right = isinstance(files, Mapping) and all(
        isinstance(path, str) and FILE_PATH.fullmatch(path) and isinstance(entry, Mapping)
        for path, entry in files.items()
    )
    if not right:
        raise WrongExport(f"{OWN}.files: must be an object of objects by the paths of files")
    return dict(files)


def _save(store: FileStore, path: str, encoded: str) -> _Saved:
    name = path.rpartition("/")[2]
    if name.rpartition(".")[2] not in FILE_TYPES:
        raise WrongExport(f"{OWN}.files: {name} is no picture of a supported type")
    try:
        content = b64decode(encoded, validate=True)
    except ValueError as wrong:
        raise WrongExport(f"{OWN}.files: the content of {name} is not Base64") from wrong
    key = secrets.token_hex(16)
    store.save(key, name, content)
    return _Saved(key, name, len(content))
