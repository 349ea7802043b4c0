"""`landing.landing.copy`: a page like another, here or on another site."""

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

    Plain integers, for in an `Id` a negative one would be 0 as well: it names no site (C5).
    `skipSystem` changes nothing: a copy is never one of a site's special pages.
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

    The copy is inactive; a code that is taken there gets a suffix. Needs the right to view the
    page's site and to edit the target. A folder that the target has not is refused like a right
    that the caller has not.
    """
    page = find_page(call, params.page_id, params.scope)
    site = find_site(call, params.site_id or page.site_id, params.scope)
    if site is None:
        raise SiteNotFound
    if params.folder_id and not has_folder(call.connection, site.id, params.folder_id):
        raise AccessDenied(_NO_FOLDER)
    site.require(Right.EDIT)
    hold_named(call.connection, [page.id])
    page = find_page(call, params.page_id, params.scope)  # it may be gone by now
    place = Place(site.id, params.folder_id or None)
    try:
        new_id = copy_page(call.connection, page.id, place, call.now(), call.actor.user_id)
    except FolderNotFound:  # it went into the trash meanwhile
        raise AccessDenied(_NO_FOLDER) from None
    use_files_of(call.connection, new_id)
    announce(call, PageCreated, new_id)
    call.subject = f"page:{new_id}"
    return new_id
