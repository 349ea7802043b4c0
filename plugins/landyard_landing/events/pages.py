"""Events of pages and blocks, published in the transaction that makes the change."""

from collections.abc import Iterable, Mapping
from typing import Literal

from sqlalchemy import select

from landyard import Event, Prepared, one_of
from landyard_landing.events.publishing import Work, is_heard, user_of
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


PageChange = Literal[
    "created", "changed", "moved", "published", "unpublished", "trashed", "restored", "deleted"
]
"""A change of a page: the last word of the event's topic."""
_EVENTS: Mapping[PageChange, type[PageEvent]] = {
    "created": PageCreated,
    "changed": PageChanged,
    "moved": PageMoved,
    "published": PagePublished,
    "unpublished": PageUnpublished,
    "trashed": PageTrashed,
    "restored": PageRestored,
    "deleted": PageDeleted,
}


def announce_pages(work: Work, change: PageChange, page_ids: Iterable[int]) -> None:
    """Publish the event of a change for each of the pages, in the order of their ids."""
    kind = _EVENTS[change]
    if is_heard(work, kind):
        for page_id, site_id in _SITES.all(work.connection, page_ids=list(page_ids)):
            work.publish(kind(page_id, site_id, user_of(work)))


def announce_edit(work: Work, page_id: int, block_id: int) -> None:
    """Publish a `BlockEdited`."""
    if is_heard(work, BlockEdited):
        for _, site_id in _SITES.all(work.connection, page_ids=[page_id]):
            work.publish(BlockEdited(page_id, site_id, user_of(work), block_id))
