"""Events of sites and their folders, published in the transaction that makes the change."""

from landyard import Call, Event, Host, UnitOfWork


class SiteEvent(Event, frozen=True):
    """Something has happened to a site; `user_id` is who did it, 0 the command line or a job."""

    site_id: int
    user_id: int

    @property
    def subject(self) -> str:
        """The site: what happens to it is heard of in order."""
        return f"site:{self.site_id}"


class SiteCreated(SiteEvent, frozen=True):
    """A site was made."""

    topic = "landing.site.created"


class SiteChanged(SiteEvent, frozen=True):
    """Fields of a site were changed, such as its title, or users' rights on it."""

    topic = "landing.site.changed"


class SitePublished(SiteEvent, frozen=True):
    """Visitors see a site, and what were the drafts of its pages."""

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
    """A site goes for good; in its transaction it is still there."""

    topic = "landing.site.deleted"


class FolderEvent(SiteEvent, frozen=True):
    """Something has happened to a folder of a site."""

    folder_id: int


class FolderCreated(FolderEvent, frozen=True):
    """A folder was made."""

    topic = "landing.folder.created"


class FolderChanged(FolderEvent, frozen=True):
    """Fields of a folder were changed, such as its address or the folder it is in."""

    topic = "landing.folder.changed"


class FolderPublished(FolderEvent, frozen=True):
    """Visitors see what is in a folder."""

    topic = "landing.folder.published"


class FolderUnpublished(FolderEvent, frozen=True):
    """What is in a folder is hidden from visitors."""

    topic = "landing.folder.unpublished"


class FolderTrashed(FolderEvent, frozen=True):
    """A folder is in the trash, and what is in it."""

    topic = "landing.folder.trashed"


class FolderRestored(FolderEvent, frozen=True):
    """A folder is out of the trash, and hidden."""

    topic = "landing.folder.restored"


class FolderDeleted(FolderEvent, frozen=True):
    """A folder goes for good; in its transaction it is still there."""

    topic = "landing.folder.deleted"


def announce_site(call: Call, kind: type[SiteEvent], site_id: int, **more: int) -> None:
    """Publish what a call does to a site, or to the folder of it that `folder_id` gives."""
    if call.subscribers:
        call.publish(kind(site_id, call.actor.user_id, **more))


def announce_site_by_job(
    host: Host, unit: UnitOfWork, kind: type[SiteEvent], site_id: int, **more: int
) -> None:
    """Publish what a command or a job does to a site; see `announce_site`."""
    if host.plugins.subscribers:
        host.publish(unit, kind(site_id, 0, **more))
