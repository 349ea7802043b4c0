"""Undoes a call that has written, by the id of its request.

Triggers note what each call changes, of the tables of every plugin.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Tables, hookimpl
from landyard_undo.methods import calls
from landyard_undo.settings import UndoSettings
from landyard_undo.sweeping import sweep
from landyard_undo.watching import Watch

__all__: list[str] = []


@hookimpl
def register_methods() -> MethodGroup:
    return calls


@hookimpl
def register_settings() -> type[UndoSettings]:
    return UndoSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("undo", Path(__file__).parent / "migrations")


@hookimpl
def register_hooks(host: Host) -> Watch:
    return Watch(host)


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("undo.sweep", timedelta(hours=1), sweep)]


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_undo.command import undo  # a server needs no words

    return [undo]
