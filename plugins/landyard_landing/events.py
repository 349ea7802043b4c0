"""Events of pages and blocks, published in the transaction that makes the change."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from landyard import Call, Event, Host, Prepared, UnitOfWork, one_of
from landyard_landing.tables import PAGE

_SITES = Prepared(
    select(PAGE.id, PAGE.site_id).where(one_of(PAGE.id, "page_ids")).order_by(PAGE.id)
)


class PageEvent(Event, frozen=True):
    """Something has happened to a page; `user_id` is who did it, 0 the command line or a job.

    `site_id` is the page's site, behind a move the new one.
    """

    page_id: int
    site_id: int
    user_id: int

    @property
    def subject(self) -> str:
        """The page: what happens to it is heard of in order."""
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
    """Visitors see what was the page's draft."""

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
    """A page goes for good; in its transaction it is still there."""

    topic = "landing.page.deleted"


class BlockEdited(PageEvent, frozen=True):
    """A block of a page's draft was changed; visitors see it when the page is published."""

    topic = "landing.block.edited"

    block_id: int


def announce(
    call: Call, kind: type[PageEvent], page_id: int, site_id: int = 0, **more: int
) -> None:
    """Publish what a call does to a page, where anybody hears of such events.

    The page's site is looked up where the call does not know it.
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
    """Publish what a command or a job does to pages."""
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
