"""The files that an export brings along: saved first, then their rows."""

import secrets
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, insert, select

from landyard_landing.exchange.moving import FILE_PATH
from landyard_landing.exchange.reading import WrongExport
from landyard_landing.exchange.writing import OWN
from landyard_landing.files.records import FILE_TYPES
from landyard_landing.files.store import FileStore
from landyard_landing.tables import FILE


class _Saved(Struct, frozen=True):
    """A file as it is saved here, without a row so far."""

    key: str
    name: str
    size: int


class Brought(Struct, frozen=True):
    """The files of an export, by their old paths: those saved here, and where others are."""

    saved: Mapping[str, _Saved]
    elsewhere: Mapping[str, str]

    def addresses(self, connection: Connection) -> dict[str, str]:
        """Return the new addresses; a file that is here already keeps its own."""
        keys = {path: path.split("/")[2] for path in self.elsewhere}
        query = select(FILE.key).where(FILE.key.in_([*keys.values()]))
        here = {*connection.execute(query).scalars()}
        found = {path: url for path, url in self.elsewhere.items() if keys[path] not in here}
        return found | {path: f"/files/{each.key}/{each.name}" for path, each in self.saved.items()}

    def keep(self, connection: Connection, page_id: int, now: datetime) -> None:
        """Write the rows of the saved files, as files of one page; other pages may show them."""
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
            connection.execute(insert(FILE.id.table), rows)


@contextmanager
def brought_files(store: FileStore, document: Any) -> Iterator[Brought]:
    """Save the files of an export, until the end for good; raises `WrongExport`.

    Where what is done with them fails they are removed.
    """
    saved: dict[str, _Saved] = {}
    elsewhere: dict[str, str] = {}
    try:
        for path, told in _told(document).items():
            if isinstance(content := told.get("content"), str):
                saved[path] = _save(store, path, content)
            elif isinstance(url := told.get("url"), str) and url.startswith(
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


def _told(document: Any) -> Mapping[str, Mapping[str, Any]]:
    own = document.get(OWN) if isinstance(document, Mapping) else None
    files = own.get("files") if isinstance(own, Mapping) else None
    if files is None:
        return {}
    right = isinstance(files, Mapping) and all(
        isinstance(path, str) and FILE_PATH.fullmatch(path) and isinstance(told, Mapping)
        for path, told in files.items()
    )
    if not right:
        raise WrongExport(f"{OWN}.files: must be an object of objects by the paths of files")
    return dict(files)


def _save(store: FileStore, path: str, encoded: str) -> _Saved:
    name = path.rpartition("/")[2]
    if name.rpartition(".")[2] not in FILE_TYPES:
        raise WrongExport(f"{OWN}.files: {name} is no picture of a kind that is taken")
    try:
        content = b64decode(encoded, validate=True)
    except ValueError as wrong:
        raise WrongExport(f"{OWN}.files: the content of {name} is not Base64") from wrong
    key = secrets.token_hex(16)
    store.save(key, name, content)
    return _Saved(key, name, len(content))
