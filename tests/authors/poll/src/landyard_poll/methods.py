"""The methods: a poll is added and closed, and its results are answered."""

from datetime import datetime
from typing import Annotated

from landyard import Call, Example, MethodGroup, MissingParams, NeededId, Settings, WrongType
from msgspec import Meta, Struct

from landyard_poll.closing import PollClosed
from landyard_poll.errors import (
    ChoicesRefused,
    EndPassed,
    PollIsClosed,
    PollNotFound,
    QuestionMissing,
    TooManyChoices,
)
from landyard_poll.polls import Count, counts, find_poll
from landyard_poll.settings import MOST_CHOICES, PollSettings
from landyard_poll.tables import Choice, Poll, Winner

group = MethodGroup(scope="poll")


class Add(Struct, frozen=True):
    """`end`: when it takes no more votes, with a time zone; without it, when it is closed."""

    question: Annotated[str, Meta(max_length=200)]
    choices: Annotated[
        list[Annotated[str, Meta(max_length=100)]], Meta(min_length=2, max_length=MOST_CHOICES)
    ]
    end: Annotated[datetime, Meta(tz=True)] | None = None


class Named(Struct, frozen=True):
    """`id`: the poll's."""

    id: NeededId


class Added(Struct, frozen=True):
    """A new poll, and where visitors see it."""

    id: int
    url: str


class Results(Struct, frozen=True):
    """How a poll goes. `winner` is there soon after it was closed, if one choice has won."""

    id: int
    question: str
    end: datetime | None
    closed: datetime | None
    choices: list[Count]
    winner: str | None


@group.method(
    "poll.add",
    errors=[
        MissingParams,
        WrongType,
        QuestionMissing,
        ChoicesRefused,
        TooManyChoices,
        EndPassed,
    ],
    writes=True,
    example=Example(
        params={"question": "Tea or coffee?", "choices": ["Tea", "Coffee"]},
        result={"id": 1, "url": "http://127.0.0.1:8000/poll/1"},
    ),
)
def add(call: Call, params: Add) -> Added:
    """Add a poll, which is open at once, and answer its page's address."""
    question, choices = params.question.strip(), [each.strip() for each in params.choices]
    most = call.settings(PollSettings).choices
    if not question:
        raise QuestionMissing
    if not all(choices) or len(set(choices)) < len(choices):
        raise ChoicesRefused
    if len(choices) > most:
        raise TooManyChoices(f"A poll of this service may have {most} choices at most.")
    if params.end is not None and params.end <= call.now():
        raise EndPassed
    poll = Poll(question=question, ends_at=params.end)
    call.session.add(poll)
    call.session.flush()  # now it has its id
    assert poll.id is not None
    for text in choices:
        call.session.add(Choice(poll_id=poll.id, text=text))
        call.session.flush()  # one after another, so that the ids have the order of the choices
    call.subject = f"poll:{poll.id}"
    return Added(poll.id, f"{call.settings(Settings).base}/poll/{poll.id}")


@group.method(
    "poll.close",
    errors=[MissingParams, WrongType, PollNotFound, PollIsClosed],
    writes=True,
    example=Example(params={"id": 1}, result=True),
)
def close(call: Call, params: Named) -> bool:
    """Close a poll: it takes no more votes, and what has won is written down."""
    poll = find_poll(call.session, params.id, hold=True)
    if poll is None:
        raise PollNotFound
    if poll.closed_at is not None:
        raise PollIsClosed
    poll.closed_at = call.now()
    call.session.add(poll)
    call.subject = f"poll:{params.id}"
    call.publish(PollClosed(params.id))
    return True


@group.method(
    "poll.results",
    errors=[MissingParams, WrongType, PollNotFound],
    example=Example(
        params={"id": 1},
        result={
            "id": 1,
            "question": "Tea or coffee?",
            "end": None,
            "closed": "2027-05-01T12:00:00Z",
            "choices": [
                {"id": 1, "choice": "Tea", "votes": 3},
                {"id": 2, "choice": "Coffee", "votes": 2},
            ],
            "winner": "Tea",
        },
    ),
)
def results(call: Call, params: Named) -> Results:
    """Tell how many votes each choice of a poll has."""
    poll = find_poll(call.session, params.id)
    if poll is None:
        raise PollNotFound
    winner = call.session.get(Winner, params.id)
    return Results(
        id=params.id,
        question=poll.question,
        end=poll.ends_at,
        closed=poll.closed_at,
        choices=counts(call.session, params.id),
        winner=winner.choice if winner else None,
    )
