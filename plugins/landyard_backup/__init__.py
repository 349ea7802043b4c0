"""Commands to save and restore a whole service: backups and world files."""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_backup.commands import db  # imported late: a server needs no commands
    from landyard_backup.worlds import dump, load

    return [db, load, dump]
