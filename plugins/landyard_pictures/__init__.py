"""Takes uploads of pictures, checks them, and sends visitors the fastest size and kind.

Variants are made in the background and kept beside the file: removing it removes them.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from landyard import Host, Job, MethodGroup, Record, Subscriber, Tables, hookimpl
from landyard_content import files
from landyard_events import after
from landyard_landing import events, undoing
from landyard_pictures.methods import pictures
from landyard_pictures.picture_html import write_pictures
from landyard_pictures.settings import PictureSettings
from landyard_pictures.upload_settings import UploadSettings
from landyard_pictures.uploadfile import uploads
from landyard_pictures.variants import make_missing, make_of_page, with_files
from landyard_public.page_writers import PageWriter
from landyard_undo.rules import UndoRules, never

requires = ("content", "events", "landing", "outgoing", "public")


@hookimpl
def register_methods() -> Iterable[MethodGroup]:
    return [pictures, uploads]


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"pictures": PictureSettings, "uploads": UploadSettings}


@hookimpl
def register_tables() -> Tables:
    rules = [*never("pictures_picture"), UndoRules(table="pictures_told", allow=undoing.may_undo)]
    return Tables("pictures", Path(__file__).parent / "migrations", rules)


@hookimpl
def register_records() -> Iterable[Record]:
    return [PageWriter("pictures", write_pictures)]


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    make = after(
        events.PagePublished,
        "pictures.make",
        make_of_page,
        transaction=False,
        seconds=600,
        targets=with_files,
    )
    return [make]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [
        Job("pictures.make", timedelta(minutes=10), make_missing),
        Job("uploads.temporary", timedelta(hours=1), _remove_temporary),
    ]


def _remove_temporary(host: Host) -> None:
    hours = host.section(UploadSettings).temp_hours
    files.remove_temporary(host, timedelta(hours=hours))
