"""Events of sites and their folders, published in the transaction that makes the change."""

from collections.abc import Iterable, Mapping
from typing import Literal

from landyard import Event
from landyard_landing.events.publishing import Work, is_heard, user_of


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


def announce_site(work: Work, change: SiteChange, site_id: int) -> None:
    """Publish the event of a change of a site."""
    kind = _SITE_EVENTS[change]
    if is_heard(work, kind):
        work.publish(kind(site_id, user_of(work)))


def announce_folders(
    work: Work, change: SiteChange, site_id: int, folder_ids: Iterable[int]
) -> None:
    """Publish the event of a change for each of the folders of a site."""
    kind = _FOLDER_EVENTS[change]
    if is_heard(work, kind):
        for folder_id in folder_ids:
            work.publish(kind(site_id, user_of(work), folder_id))
