"""The base type of events: a public topic, and a subject whose events are delivered in order."""

from typing import ClassVar

from msgspec import Struct


class Event(Struct, frozen=True):
    """Something that has happened; `topic` is its public name, e.g. `landing.page.published`."""

    topic: ClassVar[str]

    @property
    def subject(self) -> str:
        """The subject of the event, e.g. `page:10`.

        Subscribers hear of the events of one subject in order. The subject "" has no order.
        """
        return ""
