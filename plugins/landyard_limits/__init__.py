"""Limits: the call rate and operating time of a credential, and wrong credentials of an address.

All workers of a service count together.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Tables, hookimpl
from landyard_limits import listing
from landyard_limits.counters import Counters, forget
from landyard_limits.limits import Guesses, LimitSettings, limits
from landyard_undo.rules import never

__all__ = ["listing"]


@hookimpl
def register_methods() -> MethodGroup:
    return listing.limits


@hookimpl
def register_settings() -> type[LimitSettings]:
    return LimitSettings


@hookimpl
def register_tables() -> Tables:
    return Tables(
        "limits", Path(__file__).parent / "migrations", never("limits_bucket", "limits_operating")
    )


@hookimpl
def register_hooks(host: Host) -> Guesses:
    return limits(host.section(LimitSettings), Counters(host.settings, host.store))


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("limits.forget", timedelta(hours=1), forget)]
