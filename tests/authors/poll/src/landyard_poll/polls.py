"""Reading and writing of polls, shared by methods, pages and jobs."""

from datetime import datetime

from msgspec import Struct
from sqlmodel import Session, col, func, select

from landyard_poll.tables import Choice, Poll, Vote

_LARGEST_ID = 2**31 - 1


class Count(Struct, frozen=True):
    """A choice, and how many votes it has."""

    id: int
    choice: str
    votes: int


def find_poll(session: Session, poll_id: int, *, hold: bool = False) -> Poll | None:
    """Find a poll; `hold` locks it, so that it cannot be closed meanwhile."""
    if not 0 < poll_id <= _LARGEST_ID:
        return None
    query = select(Poll).where(col(Poll.id) == poll_id)
    return session.exec(query.with_for_update() if hold else query).first()


def is_open(poll: Poll, now: datetime) -> bool:
    """Tell whether it accepts votes: the job may run some time after the end."""
    return poll.closed_at is None and (poll.ends_at is None or now < poll.ends_at)


def counts(session: Session, poll_id: int) -> list[Count]:
    """Count the votes of each choice, in the order of the choices."""
    query = (
        select(Choice.id, Choice.text, func.count(col(Vote.voter)))
        .join(Vote, col(Vote.choice_id) == col(Choice.id), isouter=True)
        .where(col(Choice.poll_id) == poll_id)
        .group_by(col(Choice.id), col(Choice.text))
        .order_by(col(Choice.id))
    )
    return [Count(choice_id or 0, text, votes) for choice_id, text, votes in session.exec(query)]


def leader(counted: list[Count]) -> Count | None:
    """Return the choice that has more votes than every other."""
    first, second = sorted(counted, key=lambda each: each.votes, reverse=True)[:2]
    return first if first.votes > second.votes else None


def has_voted(session: Session, poll_id: int, voter: str) -> bool:
    return bool(voter) and session.get(Vote, (poll_id, voter)) is not None
