"""Distinguishes errors of the database or the machine from errors of a plugin."""

import errno
import sqlite3

from sqlalchemy import exc

from landyard.core.errors import Busy, Unavailable
from landyard.storage.group_commit import Again

_ERRNOS = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
)


def is_host_fault(error: BaseException) -> bool:
    """Tell whether `error` comes of the database or the machine, and not of who raised it."""
    match error:
        case Busy() | Unavailable() | Again() | MemoryError() | exc.TimeoutError():
            return True
        case OSError():
            return error.errno in _ERRNOS
        case exc.DBAPIError() if error.connection_invalidated:
            return True
        case exc.OperationalError() | sqlite3.OperationalError():
            # The server, the disk or a lock; but SQLite calls a missing table so, too.
            driver = getattr(error, "orig", error)
            return getattr(driver, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
    return False
