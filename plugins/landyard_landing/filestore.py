"""The bytes of uploaded files: a folder below the data directory, durable before it is named."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

_KEY = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}")
_DOUBTS = "doubts"


class FileStore:
    """A folder of files, each at `<two characters of its key>/<key>/<name>`.

    A file is in doubt while its row is being written or removed. A process that dies in between
    leaves the doubt behind, and by it whoever comes later finds the file and settles what is so.
    """

    def __init__(self, root: Path) -> None:
        """Keep files below `root`, which is made with the first one."""
        self._root = root

    def save(self, key: str, name: str, content: bytes) -> None:
        """Write a new file, in doubt until `settle`; return when it is on disk.

        Raises `OSError` and leaves nothing when that fails.
        """
        folder = self._folder(key)
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()  # outside: what has this key already is not ours to remove
        try:
            self.doubt(key)
            with (folder / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            for path in (folder, folder.parent, self._root):
                _sync(path)
        except BaseException:
            self.remove(key)
            raise

    def doubt(self, key: str) -> None:
        """Note that the row of a file is about to change."""
        doubts = self._root / _DOUBTS
        doubts.mkdir(parents=True, exist_ok=True)
        (doubts / key).touch()

    def settle(self, key: str) -> None:
        """Note that the row of a file is there."""
        (self._root / _DOUBTS / key).unlink(missing_ok=True)

    def remove(self, key: str) -> None:
        """Remove a file, if it is there, with any doubt about it."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._folder(key))
        self.settle(key)

    def doubts(self, before: datetime) -> Iterator[str]:
        """Go through the keys of the files that came into doubt before this moment."""
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self._root / _DOUBTS):
                since = datetime.fromtimestamp(entry.stat().st_mtime, UTC)
                if since < before and _KEY.fullmatch(entry.name):
                    yield entry.name

    def path(self, key: str, name: str) -> Path | None:
        """Say where a file is; None for what cannot be one, and never a path outside the store."""
        if not _KEY.fullmatch(key) or not _NAME.fullmatch(name):
            return None
        return self._folder(key) / name

    def _folder(self, key: str) -> Path:
        return self._root / key[:2] / key


def _sync(folder: Path) -> None:
    # The name of a file is durable when its folder is.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
