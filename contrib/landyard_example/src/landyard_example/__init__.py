"""The hook implementations of the guest book, an example plugin of Landyard."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Tables, WorldList, hookimpl
from msgspec import Struct

from landyard_example.expiry import forget
from landyard_example.methods import group
from landyard_example.settings import GuestbookSettings
from landyard_example.world import LISTS


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"guestbook": GuestbookSettings}


@hookimpl
def register_tables() -> Tables:
    return Tables("guestbook", Path(__file__).parent / "migrations")


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("guestbook.forget", timedelta(hours=1), forget)]


@hookimpl
def register_world() -> Iterable[WorldList]:
    return LISTS


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_example.web import public_page  # imported late: only servers need Litestar

    return [public_page(host)]
