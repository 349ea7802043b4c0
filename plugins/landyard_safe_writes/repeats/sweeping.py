"""The job that removes expired keys."""

from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select, tuple_

from landyard import Host
from landyard_safe_writes.repeats.live_processes import Holders
from landyard_safe_writes.repeats.settings import RepeatSettings
from landyard_safe_writes.repeats.tables import KEY

_AT_ONCE = 1_000  # rows removed in one transaction, because calls that write wait for it
_ROW = tuple_(KEY.user_id, KEY.credential, KEY.key)


def sweep(host: Host) -> None:
    """Remove expired keys, and the files of processes that ended long ago."""
    Holders(host.settings.data).forget()
    before = host.now() - timedelta(hours=host.section(RepeatSettings).hours)
    old = select(KEY.user_id, KEY.credential, KEY.key).where(KEY.made_at < before)
    statement = delete(KEY.key.table).where(_ROW.in_(old.limit(_AT_ONCE)))
    while _removed(host, statement) == _AT_ONCE:
        pass


def _removed(host: Host, statement: Any) -> int:
    return host.store.run(
        lambda unit: int(unit.connection.execute(statement).rowcount), writes=True
    )
