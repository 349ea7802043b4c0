"""Closing a poll: its event, the subscriber of the event, and the job that closes ended polls."""

from landyard import Event, Host, UnitOfWork
from landyard_events import Delivery
from sqlmodel import col, select

from landyard_poll.polls import counts, leader
from landyard_poll.tables import Poll, Winner


class PollClosed(Event, frozen=True):
    """A poll takes no more votes."""

    topic = "poll.closed"

    poll: int

    @property
    def subject(self) -> str:
        return f"poll:{self.poll}"


def close_ended(host: Host) -> None:
    """Close the polls whose end has passed; done twice it finds none."""
    now = host.now()

    def close(unit: UnitOfWork) -> None:
        query = select(Poll).where(col(Poll.closed_at).is_(None), col(Poll.ends_at) <= now)
        for poll in unit.session.exec(query.with_for_update()).all():
            poll.closed_at = now
            unit.session.add(poll)
            assert poll.id is not None  # it comes from the database
            host.publish(unit, PollClosed(poll.id))

    host.store.run(close, writes=True)


def keep_winner(delivery: Delivery, event: PollClosed) -> None:
    """Store the winner, after the commit that closed the poll."""
    if delivery.session.get(Winner, event.poll) is None:
        first = leader(counts(delivery.session, event.poll))
        choice, votes = (first.choice, first.votes) if first else (None, 0)
        delivery.session.add(Winner(poll_id=event.poll, choice=choice, votes=votes))
