"""Does a repeated call only once, and answers a dry run with the rows that would change."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from landyard import CallOption, Host, Job, Tables, hookimpl
from landyard_safe_writes.dry_runs import dry_run
from landyard_safe_writes.repeats import keys
from landyard_safe_writes.repeats.settings import RepeatSettings
from landyard_safe_writes.repeats.sweeping import sweep
from landyard_undo.rules import never

call_options = ("dry_run", "idempotency_key")

__all__: list[str] = []

begin_call = hookimpl(dry_run.begin_call)


@hookimpl
def register_call_options() -> Iterable[CallOption]:
    return [
        CallOption(dry_run.OPTION, flag=True, rolls_back=True, answers=("dry_run", "changes")),
        CallOption(keys.OPTION),
    ]


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"repeats": RepeatSettings}


@hookimpl
def register_tables() -> Tables:
    return Tables("repeats", Path(__file__).parent / "migrations", never("repeats_key"))


@hookimpl
def register_hooks(host: Host) -> keys.Keys:
    return keys.Keys(host)


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("repeats.sweep", timedelta(minutes=10), sweep)]
