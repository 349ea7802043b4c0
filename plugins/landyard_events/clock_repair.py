"""The job that repairs queues postponed too far by a clock that was ahead."""

from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import func, select, update

from landyard import Host, Moment
from landyard_events.delivery import MARGIN, longest_pause
from landyard_events.settings import EventSettings
from landyard_events.subscriptions import outbox_of
from landyard_events.tables import DELIVERY, QUEUE

log = structlog.get_logger()

_FIRST = select(func.min(DELIVERY.at)).where(DELIVERY.queue_id == QUEUE.id).scalar_subquery()
_AHEAD = select(QUEUE.id, QUEUE.subscriber, QUEUE.holder, QUEUE.tries, QUEUE.due_at, _FIRST)


def mend(host: Host) -> None:
    """Make queues due now whose due time no correct clock can have set."""
    host.store.run(lambda unit: _mend(host, unit.connection), writes=True)


def _mend(host: Host, connection: Any) -> None:
    now = host.now()
    rows = connection.execute(_AHEAD.where(QUEUE.due_at > now + Moment.clocks_differ)).all()
    wrong = [row.id for row in rows if _is_wrong(host, row, now + Moment.clocks_differ)]
    if wrong:
        connection.execute(update(QUEUE.id.table).where(QUEUE.id.in_(wrong)).values(due_at=now))
        log.warning("queues_were_ahead", queues=len(wrong))


def _is_wrong(host: Host, row: Any, now: datetime) -> bool:
    settings = host.section(EventSettings)
    if row.holder:
        subscriber = outbox_of(host.store.engine).subscribers.get(row.subscriber)
        longest = ((subscriber and subscriber.seconds) or settings.seconds) + MARGIN
    elif row.tries:
        longest = longest_pause(row.tries, settings)
    else:  # postponed by the publisher's `delay`, which may be long
        return row[-1] is not None and row[-1] > now
    return bool(row.due_at > now + timedelta(seconds=longest))
