"""Sharing of drafts by links that need no account and expire."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Tables, hookimpl
from landyard_sharing.links import forget
from landyard_sharing.methods import sharing
from landyard_undo.rules import refused

requires = ("content", "landing", "public")


@hookimpl
def register_methods() -> MethodGroup:
    return sharing


@hookimpl
def register_tables() -> Tables:
    return Tables("sharing", Path(__file__).parent / "migrations", refused("sharing_link"))


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("sharing.forget", timedelta(hours=1), forget)]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_sharing.web import routes  # imported late: the command line needs no web

    return routes(host)
