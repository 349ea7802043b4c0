"""Subscribers: one stores a row for each event of a page, the other deletes old rows as a task."""

from datetime import datetime

from landyard import Event
from landyard_events import Delivery
from landyard_landing.events import BlockEdited, PageEvent
from sqlmodel import col, delete, select

from landyard_exporter.tables import Row

AT_ONCE = 10_000


class Forget(Event, frozen=True):
    """Rows older than this moment are to be deleted."""

    topic = "exporter.forget"

    before: datetime


def keep(delivery: Delivery, event: PageEvent) -> None:
    """Write the row, in the transaction of the delivery: exactly once."""
    delivery.session.add(
        Row(
            happened_at=delivery.at,
            user_id=event.user_id,
            topic=event.topic,
            page_id=event.page_id,
            site_id=event.site_id,
            block_id=event.block_id if isinstance(event, BlockEdited) else None,
        )
    )


def forget(delivery: Delivery, task: Forget) -> None:
    """Delete a portion; where more rows may be left, publish the task again, so that no try takes
    long.
    """
    old = select(Row.id).where(col(Row.happened_at) < task.before).limit(AT_ONCE)
    gone = delivery.connection.execute(delete(Row).where(col(Row.id).in_(old)))
    if gone.rowcount == AT_ONCE:
        delivery.publish(task)
