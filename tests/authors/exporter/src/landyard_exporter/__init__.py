"""An audit of pages that is exported as CSV, as a plugin of Landyard: its hook implementations."""

from pathlib import Path

from landyard import MethodGroup, Subscriber, Tables, hookimpl
from landyard_events import after
from landyard_landing.events import PageEvent
from msgspec import Struct

from landyard_exporter.events import Forget, forget, keep
from landyard_exporter.methods import group
from landyard_exporter.settings import ExporterSettings

requires = ("events", "landing", "pages")


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_subscribers() -> list[Subscriber]:
    return [
        after(PageEvent, "exporter.keep", keep),
        after(Forget, "exporter.forget", forget),
    ]


@hookimpl
def register_tables() -> Tables:
    return Tables("exporter", Path(__file__).parent / "migrations")


@hookimpl
def register_settings() -> type[Struct]:
    return ExporterSettings


@hookimpl
def register_commands() -> list[object]:
    from landyard_exporter.commands import export  # a server needs no words

    return [export]
