"""Backups: `landyard db backup` and `landyard db restore`, of the database and the files."""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_backup.commands import db  # a server needs no words

    return [db]
