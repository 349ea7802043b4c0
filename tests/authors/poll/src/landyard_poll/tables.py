"""The tables. A change here needs a file in `migrations` that brings it to the databases."""

from datetime import datetime

from landyard import Moment
from sqlmodel import Field, SQLModel


class Poll(SQLModel, table=True):
    """A question; it accepts votes until it is closed or its end has passed."""

    __tablename__ = "poll_poll"

    id: int | None = Field(default=None, primary_key=True)
    question: str
    ends_at: datetime | None = Field(default=None, sa_type=Moment, index=True)
    closed_at: datetime | None = Field(default=None, sa_type=Moment)


class Choice(SQLModel, table=True):
    """A choice of a poll; ids rise in the order in which choices are shown."""

    __tablename__ = "poll_choice"

    id: int | None = Field(default=None, primary_key=True)
    poll_id: int = Field(foreign_key="poll_poll.id", index=True)
    text: str


class Vote(SQLModel, table=True):
    """One visitor's vote; the key prevents a second one."""

    __tablename__ = "poll_vote"

    poll_id: int = Field(foreign_key="poll_poll.id", primary_key=True)
    voter: str = Field(primary_key=True)
    choice_id: int = Field(foreign_key="poll_choice.id", index=True)


class Winner(SQLModel, table=True):
    """The winner of a closed poll; no choice where nobody voted, or several choices have the most
    votes.
    """

    __tablename__ = "poll_winner"

    poll_id: int = Field(foreign_key="poll_poll.id", primary_key=True)
    choice: str | None = None
    votes: int
