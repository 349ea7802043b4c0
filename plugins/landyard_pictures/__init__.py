"""Pictures: size and format variants of uploaded pictures, which load faster for visitors.

Variants are made in the background and stored beside the file, and are removed with it.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Job, MethodGroup, Record, Subscriber, Tables, hookimpl
from landyard_events import after
from landyard_landing import PagePublished, PageWriter, may_undo
from landyard_pictures.methods import pictures
from landyard_pictures.picture_html import write_pictures
from landyard_pictures.settings import PictureSettings
from landyard_pictures.variants import make_missing, make_of_page, with_files
from landyard_undo.rules import UndoRules, never

requires = ("events", "landing", "uploads")


@hookimpl
def register_methods() -> MethodGroup:
    return pictures


@hookimpl
def register_settings() -> type[PictureSettings]:
    return PictureSettings


@hookimpl
def register_tables() -> Tables:
    rules = [*never("pictures_picture"), UndoRules(table="pictures_told", allow=may_undo)]
    return Tables("pictures", Path(__file__).parent / "migrations", rules)


@hookimpl
def register_records() -> Iterable[Record]:
    return [PageWriter("pictures", write_pictures)]


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    make = after(
        PagePublished,
        "pictures.make",
        make_of_page,
        transaction=False,
        seconds=600,
        targets=with_files,
    )
    return [make]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("pictures.make", timedelta(minutes=10), make_missing)]
