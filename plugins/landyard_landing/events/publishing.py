"""The transaction in which an event is published: a call's, a command's or a job's."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from landyard import Call, Event, Host, UnitOfWork


class HostWork(Struct, frozen=True):
    """The transaction of a command or a job; events name the user 0."""

    host: Host
    unit: UnitOfWork

    @property
    def connection(self) -> Connection:
        """The transaction's connection."""
        return self.unit.connection

    @property
    def subscribers(self) -> Mapping[type[Event], Any]:
        """The subscribers of the active plugins, by type of event."""
        return self.host.plugins.subscribers

    def publish(self, event: Event) -> None:
        """Call the subscribers of an event in the transaction."""
        self.host.publish(self.unit, event)


Work = Call | HostWork
"""The transaction in which a change is made and announced."""


def is_heard(work: Work, kind: type[Event]) -> bool:
    """Tell whether an event of this type has a subscriber."""
    return not work.subscribers.keys().isdisjoint(kind.__mro__)


def user_of(work: Work) -> int:
    """Return the id of the user who makes the change; 0 for a command or a job."""
    return work.actor.user_id if isinstance(work, Call) else 0
