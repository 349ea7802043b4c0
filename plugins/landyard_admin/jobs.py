"""`landyard.job.list`: the periodic jobs, with the time of their last run."""

from datetime import datetime

from msgspec import Struct

from landyard import Call, Example, last_begun
from landyard_admin.group import Nothing, Operator, admin


class ListedJob(Struct, frozen=True):
    """A job of a plugin; one process of the service begins it every `seconds`.

    `begun_at` is null if it was never begun; `due_at` is then null, too: the job is due now.
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
                "plugin": "content",
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
    jobs = []
    for plugin, job in call.kept(Operator).host.plugins.jobs.values():
        at = begun.get(job.name)
        due = None if at is None else at + job.every
        jobs.append(ListedJob(job.name, plugin, job.every.total_seconds(), at, due))
    return sorted(jobs, key=lambda each: each.name)
