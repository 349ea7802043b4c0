"""A whole service in files: `landyard db backup` and `restore`, and world files."""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_backup.commands import db  # a server needs no words
    from landyard_backup.worlds import dump, load

    return [db, load, dump]
