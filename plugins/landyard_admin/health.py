"""`landyard.health.get`: the health of the service, with a line for each problem."""

import shutil
import time

from msgspec import Struct
from sqlalchemy import text

from landyard import Call, Example
from landyard_admin.group import Nothing, Operator, admin


class Pool(Struct, frozen=True):
    """A thread pool of the answering worker: its threads, busy threads and waiting calls."""

    threads: int
    busy: int
    waiting: int


class Health(Struct, frozen=True):
    """`well`: whether nothing is wrong; `wrong`: a line for each problem.

    `database` is `sqlite` or `postgresql`; `database_seconds` is the time of a trivial query.
    `disk_free` is the free space for the data directory, in bytes. `pools` are `reading`, `writing`
    and `slow`.
    """

    well: bool
    wrong: list[str]
    version: str
    workers: int
    database: str
    database_seconds: float
    disk_free: int
    pools: dict[str, Pool]


@admin.method(
    "landyard.health.get",
    right="administrator",
    example=Example(
        {},
        result={
            "well": True,
            "wrong": [],
            "version": "0.1.0",
            "workers": 1,
            "database": "sqlite",
            "database_seconds": 0.0004,
            "disk_free": 53687091200,
            "pools": {"reading": {"threads": 4, "busy": 1, "waiting": 0}},
        },
    ),
)
def get_health(call: Call, _params: Nothing) -> Health:
    """Report the health of the service: database, plugins and disk.

    Problems are failed plugins, methods refused for a while, tables behind the installed version,
    and a disk with less than 5 % free.
    """
    host = call.kept(Operator).host
    began = time.perf_counter()
    call.connection.execute(text("SELECT 1"))
    took = time.perf_counter() - began
    lines = host.plugins.switchboard.status(call.now())
    wrong = [
        f"plugin {line.plugin.name} has failed: {line.state.reason}"
        for line in lines
        if line.state.state == "failed"
    ]
    wrong += [
        f"method {each.method} is refused for a while: {each.reason}"
        for line in lines
        for each in line.breakers
        if each.until > call.now()
    ]
    if behind := host.plugins.schema.behind(host.store):
        wrong.append(f"the database lacks {', '.join(behind)}: run `landyard db upgrade`")
    disk = shutil.disk_usage(host.settings.data)
    if disk.free < disk.total / 20:
        wrong.append(f"the disk of the data directory is nearly full: {disk.free} bytes are free")
    pools = {
        name: Pool(load.threads, load.busy, load.waiting)
        for name, load in host.process.pools.load().items()
    }
    database = call.connection.dialect.name
    measured = (host.settings.workers, database, round(took, 6), disk.free, pools)
    method = call.listing.find(call.method)
    return Health(not wrong, wrong, method.version if method else "", *measured)
