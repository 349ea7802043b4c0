"""Events of pages and blocks, published in the transaction that makes the change."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from landyard import Call, Event, Host, Prepared, UnitOfWork, one_of
from landyard_landing.tables import PAGE

_SITES = Prepared(
    select(PAGE.id, PAGE.site_id).where(one_of(PAGE.id, "page_ids")).order_by(PAGE.id)
)


class PageEvent(Event, frozen=True):
    """A change of a page; `user_id` is the user who made it, 0 for the command line or a job.

    `site_id` is the page's site, after a move the new one.
    """

    page_id: int
    site_id: int
    user_id: int

    @property
    def subject(self) -> str:
        """The page, so that events of one page are delivered in order."""
        return f"page:{self.page_id}"


class PageCreated(PageEvent, frozen=True):
    """A page was made, from a template, empty, or as a copy of another."""

    topic = "landing.page.created"


class PageChanged(PageEvent, frozen=True):
    """Fields of a page were changed, such as its title, or a file in it was replaced."""

    topic = "landing.page.changed"


class PageMoved(PageEvent, frozen=True):
    """A page is on another site, or in another folder."""

    topic = "landing.page.moved"


class PagePublished(PageEvent, frozen=True):
    """A page's draft was published: visitors see it."""

    topic = "landing.page.published"


class PageUnpublished(PageEvent, frozen=True):
    """A page is hidden from visitors."""

    topic = "landing.page.unpublished"


class PageTrashed(PageEvent, frozen=True):
    """A page is in the trash."""

    topic = "landing.page.trashed"


class PageRestored(PageEvent, frozen=True):
    """A page is out of the trash, and hidden."""

    topic = "landing.page.restored"


class PageDeleted(PageEvent, frozen=True):
    """A page is removed for good; within the event's transaction it still exists."""

    topic = "landing.page.deleted"


class BlockEdited(PageEvent, frozen=True):
    """A block of a page's draft was changed; visitors see it when the page is published."""

    topic = "landing.block.edited"

    block_id: int


def announce(
    call: Call, kind: type[PageEvent], page_id: int, site_id: int = 0, **more: int
) -> None:
    """Publish an event of a call on a page, if the event has subscribers.

    Without a `site_id` the page's site is looked up.
    """
    if call.subscribers.keys().isdisjoint(kind.__mro__):
        return
    user_id = call.actor.user_id
    if site_id:
        call.publish(kind(page_id, site_id, user_id, **more))
        return
    for event in _events(call.connection, kind, [page_id], user_id, more):
        call.publish(event)


def announce_all(
    host: Host, unit: UnitOfWork, kind: type[PageEvent], page_ids: Iterable[int], **more: int
) -> None:
    """Publish an event of a command or a job on each of the pages."""
    if not host.plugins.subscribers.keys().isdisjoint(kind.__mro__):
        for event in _events(unit.connection, kind, page_ids, 0, more):
            host.publish(unit, event)


def _events(
    connection: Connection,
    kind: type[PageEvent],
    page_ids: Iterable[int],
    user_id: int,
    more: dict[str, int],
) -> list[PageEvent]:
    rows = _SITES.all(connection, page_ids=list(page_ids))
    return [kind(page_id, site_id, user_id, **more) for page_id, site_id in rows]
