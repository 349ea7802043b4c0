"""Redirects from former addresses of sites, folders and pages to their present ones.

Database triggers store an old address in the transaction of any change.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Job, MethodGroup, Record, Tables, hookimpl
from landyard_landing import undoing
from landyard_public.forwarding import Forwarding
from landyard_redirects.methods import redirects
from landyard_redirects.resolution import follow
from landyard_redirects.sweeping import sweep
from landyard_undo.rules import UndoRules

requires = ("content", "landing", "public")


@hookimpl
def register_methods() -> MethodGroup:
    return redirects


@hookimpl
def register_tables() -> Tables:
    rules = [UndoRules(table="redirects_old", allow=undoing.may_undo)]
    return Tables("redirects", Path(__file__).parent / "migrations", rules)


@hookimpl
def register_records() -> Iterable[Record]:
    return [Forwarding("redirects", follow)]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("redirects.sweep", timedelta(hours=1), sweep)]
