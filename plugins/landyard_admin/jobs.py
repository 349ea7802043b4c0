"""`landyard.job.list`: periodic work, and when it was last begun."""

from datetime import datetime

from msgspec import Struct

from landyard import Call, Example, last_begun
from landyard_admin.group import Nothing, Operator, admin


class ListedJob(Struct, frozen=True):
    """A job of a plugin: it is begun every so many `seconds`, by one process of all.

    Without `begun_at` it was never begun; `due_at` is then null as well, and it is due now.
    """

    name: str
    plugin: str
    seconds: float
    begun_at: datetime | None
    due_at: datetime | None


@admin.method(
    "landyard.job.list",
    right="administrator",
    example=Example(
        {},
        result=[
            {
                "name": "landing.trash",
                "plugin": "landing",
                "seconds": 3600.0,
                "begun_at": "2026-11-23T09:30:00Z",
                "due_at": "2026-11-23T10:30:00Z",
            }
        ],
    ),
)
def list_jobs(call: Call, _params: Nothing) -> list[ListedJob]:
    """List the jobs of the plugins that are on, and when each was last begun."""
    begun = last_begun(call.connection)
    listed = []
    for plugin, job in call.kept(Operator).host.plugins.jobs.values():
        at = begun.get(job.name)
        due = None if at is None else at + job.every
        listed.append(ListedJob(job.name, plugin, job.every.total_seconds(), at, due))
    return sorted(listed, key=lambda each: each.name)
