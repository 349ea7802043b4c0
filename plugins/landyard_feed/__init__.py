"""Feeds: events sent live to browsers and programs, at `/-/events?feed=NAME`.

A plugin adds a feed to its subscribers, and declares `requires = ("feed",)`:
`Feed("poll.votes", Voted, may_hear).subscriber()`.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, Tables, hookimpl
from landyard_feed.feeds import Feed, forget
from landyard_feed.settings import FeedSettings
from landyard_undo.rules import never

__all__ = ["Feed"]

requires = ("events", "signin")


@hookimpl
def register_settings() -> type[FeedSettings]:
    return FeedSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("feed", Path(__file__).parent / "migrations", never("feed_told"))


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("feed.forget", timedelta(hours=1), forget)]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_feed.web import routes  # imported late: the command line needs no web

    return routes(host)
