"""Events of pages, blocks, folders and sites, published in the transaction of the change."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
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


class SiteEvent(Event, frozen=True):
    """A change of a site; `user_id` is the user who made it, 0 for the command line or a job."""

    site_id: int
    user_id: int

    @property
    def subject(self) -> str:
        """The site, so that events of one site are delivered in order."""
        return f"site:{self.site_id}"


class SiteCreated(SiteEvent, frozen=True):
    """A site was made."""

    topic = "landing.site.created"


class SiteChanged(SiteEvent, frozen=True):
    """Fields of a site were changed, such as its title, or users' rights on it."""

    topic = "landing.site.changed"


class SitePublished(SiteEvent, frozen=True):
    """A site and the drafts of its pages were published: visitors see them."""

    topic = "landing.site.published"


class SiteUnpublished(SiteEvent, frozen=True):
    """A site is hidden from visitors."""

    topic = "landing.site.unpublished"


class SiteTrashed(SiteEvent, frozen=True):
    """A site is in the trash."""

    topic = "landing.site.trashed"


class SiteRestored(SiteEvent, frozen=True):
    """A site is out of the trash, and hidden."""

    topic = "landing.site.restored"


class SiteDeleted(SiteEvent, frozen=True):
    """A site is removed for good; within the event's transaction it still exists."""

    topic = "landing.site.deleted"


class FolderEvent(SiteEvent, frozen=True):
    """A change of a folder of a site."""

    folder_id: int


class FolderCreated(FolderEvent, frozen=True):
    """A folder was made."""

    topic = "landing.folder.created"


class FolderChanged(FolderEvent, frozen=True):
    """Fields of a folder were changed, such as its address or its parent folder."""

    topic = "landing.folder.changed"


class FolderPublished(FolderEvent, frozen=True):
    """A folder was published: visitors see its pages."""

    topic = "landing.folder.published"


class FolderUnpublished(FolderEvent, frozen=True):
    """A folder and its pages are hidden from visitors."""

    topic = "landing.folder.unpublished"


class FolderTrashed(FolderEvent, frozen=True):
    """A folder and all that it contains are in the trash."""

    topic = "landing.folder.trashed"


class FolderRestored(FolderEvent, frozen=True):
    """A folder is out of the trash, and hidden."""

    topic = "landing.folder.restored"


class FolderDeleted(FolderEvent, frozen=True):
    """A folder is removed for good; within the event's transaction it still exists."""

    topic = "landing.folder.deleted"


PageChange = Literal[
    "created", "changed", "moved", "published", "unpublished", "trashed", "restored", "deleted"
]
"""A change of a page: the last word of the event's topic."""
_PAGE_EVENTS: Mapping[PageChange, type[PageEvent]] = {
    "created": PageCreated,
    "changed": PageChanged,
    "moved": PageMoved,
    "published": PagePublished,
    "unpublished": PageUnpublished,
    "trashed": PageTrashed,
    "restored": PageRestored,
    "deleted": PageDeleted,
}
SiteChange = Literal[
    "created", "changed", "published", "unpublished", "trashed", "restored", "deleted"
]
"""A change of a site or a folder: the last word of the event's topic."""
_SITE_EVENTS: Mapping[SiteChange, type[SiteEvent]] = {
    "created": SiteCreated,
    "changed": SiteChanged,
    "published": SitePublished,
    "unpublished": SiteUnpublished,
    "trashed": SiteTrashed,
    "restored": SiteRestored,
    "deleted": SiteDeleted,
}
_FOLDER_EVENTS: Mapping[SiteChange, type[FolderEvent]] = {
    "created": FolderCreated,
    "changed": FolderChanged,
    "published": FolderPublished,
    "unpublished": FolderUnpublished,
    "trashed": FolderTrashed,
    "restored": FolderRestored,
    "deleted": FolderDeleted,
}


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


def announce_pages(work: Work, change: PageChange, page_ids: Iterable[int]) -> None:
    """Publish the event of a change for each of the pages, in the order of their ids."""
    kind = _PAGE_EVENTS[change]
    if _is_heard(work, kind):
        for page_id, site_id in _SITES.all(work.connection, page_ids=list(page_ids)):
            work.publish(kind(page_id, site_id, _user_of(work)))


def announce_edit(work: Work, page_id: int, block_id: int) -> None:
    """Publish a `BlockEdited`."""
    if _is_heard(work, BlockEdited):
        for _, site_id in _SITES.all(work.connection, page_ids=[page_id]):
            work.publish(BlockEdited(page_id, site_id, _user_of(work), block_id))


def announce_site(work: Work, change: SiteChange, site_id: int) -> None:
    """Publish the event of a change of a site."""
    kind = _SITE_EVENTS[change]
    if _is_heard(work, kind):
        work.publish(kind(site_id, _user_of(work)))


def announce_folders(
    work: Work, change: SiteChange, site_id: int, folder_ids: Iterable[int]
) -> None:
    """Publish the event of a change for each of the folders of a site."""
    kind = _FOLDER_EVENTS[change]
    if _is_heard(work, kind):
        for folder_id in folder_ids:
            work.publish(kind(site_id, _user_of(work), folder_id))


def _is_heard(work: Work, kind: type[Event]) -> bool:
    """Tell whether an event of this type has a subscriber."""
    return not work.subscribers.keys().isdisjoint(kind.__mro__)


def _user_of(work: Work) -> int:
    """Return the id of the user who makes the change; 0 for a command or a job."""
    return work.actor.user_id if isinstance(work, Call) else 0
