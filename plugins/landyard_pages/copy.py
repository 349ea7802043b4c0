"""`landing.landing.copy`: copy a page, within its site or to another."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import errors, events, rights, sites
from landyard_pages.copying import copy_page, use_files_of
from landyard_pages.group import page_methods
from landyard_pages.site_elements import has_folder

_NO_FOLDER = "Folder not found or access to it is denied."


class Copy(Struct, frozen=True):
    """`lid`: a page's id; `toSiteId`: 0 for its own site; `toFolderId`: 0 for the site's root.

    Plain integers, because an `Id` would turn a negative number into 0 (C5).
    `skipSystem` has no effect: a copy is never a special page.
    """

    page_id: NeededId = field(name="lid")
    site_id: int = field(name="toSiteId", default=0)
    folder_id: int = field(name="toFolderId", default=0)
    skip_system: bool = field(name="skipSystem", default=False)
    scope: str | None = None


@page_methods.method(
    "landing.landing.copy",
    right="view; edit on the target site",
    writes=True,
    errors=[MissingParams, errors.LandingNotExist, errors.SiteNotFound, errors.AccessDenied],
    example=Example({"lid": 12}, result=13),
)
def copy(call: Call, params: Copy) -> int:
    """Copy a page's fields and draft to a site, or to a folder of it, and answer the copy's id.

    The copy is inactive; a code in use gets a suffix. Needs the right to view the page's site and
    to edit the target. A folder that is not in the target is refused like a missing right.
    """
    page = rights.find_page(call, params.page_id, params.scope)
    site = sites.find_site(call, params.site_id or page.site_id, params.scope)
    if site is None:
        raise errors.SiteNotFound
    if params.folder_id and not has_folder(call.connection, site.id, params.folder_id):
        raise errors.AccessDenied(_NO_FOLDER)
    site.require(rights.Right.EDIT)
    sites.lock_referenced_pages(call.connection, [page.id])
    page = rights.find_page(call, params.page_id, params.scope)  # checked again under the lock
    place = rights.Place(site.id, params.folder_id or None)
    try:
        new_id = copy_page(call.connection, page.id, place, call.now(), call.actor.user_id)
    except errors.FolderNotFound:  # the folder was moved to the trash meanwhile
        raise errors.AccessDenied(_NO_FOLDER) from None
    use_files_of(call.connection, new_id)
    events.announce_pages(call, "created", [new_id])
    call.subject = f"page:{new_id}"
    return new_id
