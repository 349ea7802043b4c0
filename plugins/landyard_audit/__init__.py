"""The audit log: a row for each call of a method that writes, also for failed calls.

A command of the operator writes a row for each thing that it changed. Parameters of calls are not
stored.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import CommandRun, Host, Job, MethodGroup, Subscriber, Tables, hookimpl
from landyard_audit import listing
from landyard_audit.removal import AuditSettings, remove_old
from landyard_audit.rows import Rows, write_command
from landyard_undo.rules import never

__all__ = ["listing"]


@hookimpl
def register_methods() -> MethodGroup:
    return listing.audit


@hookimpl
def register_settings() -> type[AuditSettings]:
    return AuditSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("audit", Path(__file__).parent / "migrations", never("audit_row"))


@hookimpl
def register_hooks(host: Host) -> Rows:
    return Rows(host)


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    return [Subscriber(CommandRun, write_command)]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("audit.removal", timedelta(hours=1), remove_old)]


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_audit.command import audit  # imported late: a server needs no commands

    return [audit]
