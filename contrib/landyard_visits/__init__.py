"""Visits: how often pages are seen, by page and day, without cookies and without addresses.

Off until an operator enables it. A page then has a picture of nothing, which browsers fetch from
this server: so a visit is counted although the page itself comes from memory or from a cache.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Record, Tables, hookimpl
from landyard_landing import PageWriter
from landyard_undo.rules import never
from landyard_visits.counting import Visits
from landyard_visits.listing import visits
from landyard_visits.settings import VisitSettings
from landyard_visits.storing import sweep
from landyard_visits.writing import write_picture

requires = ("landing",)


@hookimpl
def register_methods() -> MethodGroup:
    return visits


@hookimpl
def register_settings() -> type[VisitSettings]:
    return VisitSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("visits", Path(__file__).parent / "migrations", never("visits_day"))


@hookimpl
def register_records() -> Iterable[Record]:
    return [PageWriter("visits", write_picture)]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("visits.sweep", timedelta(days=1), sweep)]


@hookimpl
def register_hooks(host: Host) -> Visits:
    return Visits(host)
