"""Idempotency keys: a call repeated with the same key runs once.

The answer is stored in the call's own transaction, and each repeat gets this answer.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import CallOption, Host, Job, Tables, hookimpl
from landyard_repeats.keys import OPTION, Keys
from landyard_repeats.settings import RepeatSettings
from landyard_repeats.sweeping import sweep
from landyard_undo.rules import never

call_options = ("idempotency_key",)

__all__: list[str] = []


@hookimpl
def register_call_options() -> Iterable[CallOption]:
    return [CallOption(OPTION)]


@hookimpl
def register_settings() -> type[RepeatSettings]:
    return RepeatSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("repeats", Path(__file__).parent / "migrations", never("repeats_key"))


@hookimpl
def register_hooks(host: Host) -> Keys:
    return Keys(host)


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("repeats.sweep", timedelta(minutes=10), sweep)]
