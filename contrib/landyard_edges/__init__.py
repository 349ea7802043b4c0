"""Tells edges, caches in front of the service, which public answers to forget.

Off until an operator enables it. The settings name the edges: Varnish, Fastly, Cloudflare.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, Subscriber, Tables, hookimpl
from landyard_edges.changes import subscribers
from landyard_edges.purging import Edges, PurgeDue, purge, purge_all, sweep
from landyard_edges.settings import LONGEST, EdgeSettings
from landyard_events import after
from landyard_undo.rules import never

requires = ("events", "landing", "outgoing", "public")

LOOK = 0.2  # seconds until another process purges, if the publishing one is killed
THREADS = 4  # in each worker: a slow edge occupies one of them


@hookimpl
def register_settings() -> type[EdgeSettings]:
    return EdgeSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("edges", Path(__file__).parent / "migrations", never("edges_tag", "edges_edge"))


@hookimpl
def register_hooks(host: Host) -> Edges:
    return Edges(host)


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    return [
        *subscribers(),
        after(
            PurgeDue,
            "edges.purge",
            purge,
            transaction=False,
            seconds=LONGEST + 5,  # the request has its own limit
            threads=THREADS,
            look=LOOK,
        ),
    ]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [
        Job("edges.purge", timedelta(seconds=10), purge_all),
        Job("edges.sweep", timedelta(hours=1), sweep),
    ]


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_edges.commands import edges  # imported late: a server needs no commands

    return [edges]
