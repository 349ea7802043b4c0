"""Visit counts by page and day, without cookies and without visitors' addresses.

Off until an operator enables it. Published pages then have an empty image that browsers fetch from
this server, so a visit counts even if the page itself comes from a cache.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Record, Tables, hookimpl
from landyard_public.page_writers import PageWriter
from landyard_undo.rules import never
from landyard_visits.counting import Visits
from landyard_visits.listing import visits
from landyard_visits.page_image import write_picture
from landyard_visits.settings import VisitSettings
from landyard_visits.storing import sweep

requires = ("landing", "public")


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
