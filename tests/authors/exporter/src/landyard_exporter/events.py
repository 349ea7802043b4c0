"""What is heard of: a row is kept for each event of a page; and the task that deletes old rows."""

from datetime import datetime

from landyard import Event
from landyard_events import Delivery
from landyard_landing import BlockEdited, PageEvent
from sqlmodel import col, delete, select

from landyard_exporter.tables import Row

AT_ONCE = 10_000


class Forget(Event, frozen=True):
    """Rows from before a moment are to be deleted."""

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
    """Delete some; where there may be more, ask for it again, so that no try takes long."""
    old = select(Row.id).where(col(Row.happened_at) < task.before).limit(AT_ONCE)
    gone = delivery.connection.execute(delete(Row).where(col(Row.id).in_(old)))
    if gone.rowcount == AT_ONCE:
        delivery.publish(task)
