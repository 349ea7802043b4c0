"""A plugin of polls that publishes events and subscribes to them."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

import landyard_events
from landyard import (
    Call,
    Event,
    MethodGroup,
    MissingParams,
    Plugin,
    Subscriber,
    WrongType,
    hookimpl,
)
from landyard_events import Delivery, after, later


class Voted(Event, frozen=True):
    topic = "ballot.voted"

    poll: int
    vote: int

    @property
    def subject(self) -> str:
        return f"poll:{self.poll}"


class Remind(Event, frozen=True):
    topic = "poll.remind"

    poll: int


class Vote(Struct, frozen=True):
    poll: int
    votes: int = 1
    fails: bool = False


class Polls:
    """The plugin; `heard` holds the orders of the events that its durable subscriber received."""

    requires = ("events",)

    def __init__(
        self,
        *subscribers: Subscriber,
        handler: Callable[[Delivery, Any], object] | None = None,
        **how: Any,
    ) -> None:
        self.heard: list[tuple[str, int, int]] = []
        self.failing: set[int] = set()
        self.group = MethodGroup(scope="poll")
        self.group.method("poll.vote", errors=[MissingParams, WrongType], writes=True)(self.vote)
        self.subscribers = subscribers or (
            after(Voted, "poll.count", handler or self.count, **how),
            after(Remind, "poll.reminder", self.count, **how),
        )

    def count(self, delivery: Delivery, event: Any) -> None:
        if getattr(event, "vote", 0) in self.failing:
            raise ValueError(f"vote {event.vote} does not count")
        self.heard.append((delivery.id, event.poll, getattr(event, "vote", 0)))

    @staticmethod
    def vote(call: Call, params: Vote) -> bool:
        """Vote."""
        for vote in range(params.votes):
            call.publish(Voted(params.poll, vote))
        if params.fails:
            raise ValueError("the vote fails")
        return True

    @hookimpl
    def register_methods(self) -> MethodGroup:
        return self.group

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return self.subscribers

    def plugins(self) -> list[Any]:
        return [landyard_events, Plugin("poll", self)]


__all__ = ["Polls", "Remind", "Vote", "Voted", "later"]
