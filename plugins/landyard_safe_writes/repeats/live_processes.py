"""The processes that run calls with a key, and a test whether one is still alive.

Each process locks a file of its own in the data directory. The system releases the lock when the
process ends, however it ends.
"""

import fcntl
import os
import time
import uuid
from pathlib import Path

_FOLDER = "holders"
_LONG = 86_400.0  # seconds; no call takes this long


class Holders:
    """The live processes on one data directory."""

    def __init__(self, data: Path) -> None:
        """Create no file yet."""
        self._folder = data / _FOLDER
        self._name = ""
        self._file: int | None = None

    @property
    def mine(self) -> str:
        """The name of this process for other processes; "" if its file cannot be created."""
        if self._file is None:
            name = uuid.uuid4().hex
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return ""
            self._name = name
        return self._name

    def works(self, name: str) -> bool:
        """Tell whether another process is certainly alive."""
        is_near = name not in {"", self._name} and (self._folder / name).exists()
        return is_near and not self.is_gone(name)

    def is_gone(self, name: str) -> bool:
        """Tell whether a process has certainly ended; False for one on another machine."""
        if not name or name == self._name:
            return False
        try:
            file = os.open(self._folder / name, os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        finally:
            os.close(file)
        return True

    def forget(self) -> None:
        """Remove the files of processes that ended over a day ago."""
        for file in self._folder.glob("*"):
            if file.stat().st_mtime < time.time() - _LONG and self.is_gone(file.name):
                file.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the file of this process."""
        if self._file is not None:
            (self._folder / self._name).unlink(missing_ok=True)
            os.close(self._file)
            self._file = None
