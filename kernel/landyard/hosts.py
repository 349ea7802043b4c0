"""Faults of the host: what goes wrong in a plugin's call and is none of the plugin's doing."""

import errno
import sqlite3

from sqlalchemy import exc

from landyard.errors import CallError
from landyard.writers import Again, Busy

_ERRNOS = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
)
# What an SQL statement itself can be at fault for; all else SQLite says is of the file, the disk,
# the memory or of other writers.
_OWN_SQLITE = frozenset(
    (
        sqlite3.SQLITE_ERROR,  # no such table, a syntax error
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_MISUSE,
        sqlite3.SQLITE_RANGE,
        sqlite3.SQLITE_TOOBIG,
    )
)
# Connections, rolled back to let others go on, resources, locks, the operator, the system, defects.
_HOST_CLASSES = ("08", "40", "53", "55", "57", "58", "XX")
_HOST_STATES = frozenset(("25006", "25P03"))  # a stand-by takes no writes; it idled for too long


def is_host_fault(error: BaseException) -> bool:
    """Tell whether `error` comes of the database or the machine, and not of who raised it.

    So does one raised `from` such a fault. Not so one raised while handling it without a `from`:
    that is a defect of the handling; nor one behind a code, whose raiser knew what happened.
    """
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen and not isinstance(cause, CallError):
        if _is_of_host(cause):
            return True
        seen.add(id(cause))
        cause = cause.__cause__
    return False


def _is_of_host(error: BaseException) -> bool:
    match error:
        case Busy() | Again() | MemoryError() | exc.TimeoutError():
            return True
        case exc.DBAPIError() if error.connection_invalidated:
            return True
        case exc.StatementError():
            return error.orig is not None and _is_of_host(error.orig)
        case sqlite3.Error():
            code = getattr(error, "sqlite_errorcode", None)
            return code is not None and code & 0xFF not in _OWN_SQLITE
        case OSError():
            return error.errno in _ERRNOS
    return type(error).__module__.startswith("psycopg") and _is_of_postgres(error)


def _is_of_postgres(error: BaseException) -> bool:
    import psycopg  # loaded by now; a service on SQLite does without

    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    if state is None:
        # The server never spoke: the connection was lost, or never made. Other errors without a
        # state are the driver's, about what it was given.
        lost = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError)
        return isinstance(error, lost)
    return state.startswith(_HOST_CLASSES) or state in _HOST_STATES
