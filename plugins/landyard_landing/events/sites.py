"""Events of sites and their folders, published in the transaction that makes the change."""

from landyard import Call, Event, Host, UnitOfWork


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


def announce_site(call: Call, kind: type[SiteEvent], site_id: int, **more: int) -> None:
    """Publish an event of a call on a site, or on its folder `folder_id`."""
    if call.subscribers:
        call.publish(kind(site_id, call.actor.user_id, **more))


def announce_site_by_job(
    host: Host, unit: UnitOfWork, kind: type[SiteEvent], site_id: int, **more: int
) -> None:
    """Publish an event of a command or a job on a site; see `announce_site`."""
    if host.plugins.subscribers:
        host.publish(unit, kind(site_id, 0, **more))
