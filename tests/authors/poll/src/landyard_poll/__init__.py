"""Polls, as a plugin of Landyard: its hook implementations."""

from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Subscriber, Tables, hookimpl
from landyard_events import after
from msgspec import Struct

from landyard_poll.closing import PollClosed, close_ended, keep_winner
from landyard_poll.methods import group
from landyard_poll.settings import PollSettings

requires = ("events",)


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_tables() -> Tables:
    return Tables("poll", Path(__file__).parent / "migrations")


@hookimpl
def register_settings() -> type[Struct]:
    return PollSettings


@hookimpl
def register_jobs() -> list[Job]:
    return [Job("poll.close_ended", timedelta(minutes=1), close_ended)]


@hookimpl
def register_subscribers() -> list[Subscriber]:
    return [after(PollClosed, "poll.winner", keep_winner)]


@hookimpl
def register_routes(host: Host) -> list[object]:
    from landyard_poll.web import pages  # a command needs no pages

    return pages(host)
