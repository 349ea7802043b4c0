"""`landing.landing.copy`: copy a page, within its site or to another."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import (
    AccessDenied,
    FolderNotFound,
    LandingNotExist,
    PageCreated,
    Place,
    Right,
    SiteNotFound,
    announce,
    copy_page,
    find_page,
    find_site,
    has_folder,
    hold_named,
    use_files_of,
)
from landyard_publishing.group import publishing

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


@publishing.method(
    "landing.landing.copy",
    right="view; edit on the target site",
    writes=True,
    errors=[MissingParams, LandingNotExist, SiteNotFound, AccessDenied],
    example=Example({"lid": 12}, result=13),
)
def copy(call: Call, params: Copy) -> int:
    """Copy a page's fields and draft to a site, or to a folder of it, and answer the copy's id.

    The copy is inactive; a code in use gets a suffix. Needs the right to view the page's site and
    to edit the target. A folder that is not in the target is refused like a missing right.
    """
    page = find_page(call, params.page_id, params.scope)
    site = find_site(call, params.site_id or page.site_id, params.scope)
    if site is None:
        raise SiteNotFound
    if params.folder_id and not has_folder(call.connection, site.id, params.folder_id):
        raise AccessDenied(_NO_FOLDER)
    site.require(Right.EDIT)
    hold_named(call.connection, [page.id])
    page = find_page(call, params.page_id, params.scope)  # checked again under the lock
    place = Place(site.id, params.folder_id or None)
    try:
        new_id = copy_page(call.connection, page.id, place, call.now(), call.actor.user_id)
    except FolderNotFound:  # the folder was moved to the trash meanwhile
        raise AccessDenied(_NO_FOLDER) from None
    use_files_of(call.connection, new_id)
    announce(call, PageCreated, new_id)
    call.subject = f"page:{new_id}"
    return new_id
