"""`landing.landing.move`: move a page to another site or folder (contract 4.8; P6, R7)."""

from msgspec import Struct, field

from landyard import Call, CallError, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors, events, rights, sites
from landyard_pages.group import page_methods
from landyard_pages.placing import put_page
from landyard_pages.site_elements import has_folder

NO_SITE = "toSiteId: there is no such site, or it is not yours to see."


class DeleteAccessDenied(CallError):
    code = "DELETE_ACCESS_DENIED"
    text = "Moving a page away needs the right to delete it."


class Move(Struct, frozen=True):
    """`lid`: a page's id; `toSiteId`: 0 for its own site; `toFolderId`: 0 for the site's root.

    Plain integers, because an `Id` would turn a negative number into 0 (C5).
    """

    page_id: NeededId = field(name="lid")
    site_id: int = field(name="toSiteId", default=0)
    folder_id: int = field(name="toFolderId", default=0)
    scope: str | None = None


@page_methods.method(
    "landing.landing.move",
    right="delete; edit on the target site",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.LandingNotExist,
        errors.AccessDenied,
        DeleteAccessDenied,
        errors.FolderNotFound,
        SystemFailure,
    ],
    example=Example({"lid": 12, "toSiteId": 1}, result=True),
)
def move(call: Call, params: Move) -> bool:
    """Move a page to another site, or to a folder of its own site.

    A folder named together with another site is refused: move to the site first, then into the
    folder. If the page's code is taken there it gets a suffix; a main page that leaves its site
    stops being its main page. Needs the rights to delete on the page's site and to edit on the
    target.
    """
    page = rights.hold_page(
        call, params.page_id, params.scope, rights.Right.DELETE, _require_delete
    )
    to = _target(call, page, params)
    if to != page.place:
        try:
            put_page(call, page, to, page.code)
        except errors.SiteNotFound:  # the site was removed meanwhile
            raise errors.AccessDenied(NO_SITE) from None
        events.announce_pages(call, "moved", [page.id])
    return True


def _require_delete(page: rights.ViewedPage) -> None:
    if rights.Right.DELETE not in page.rights:
        raise DeleteAccessDenied


def _target(call: Call, page: rights.HeldPage, params: Move) -> rights.Place:
    """Return the target of the page; errors are raised in the order of R7, the folder last."""
    site_id = params.site_id or page.site_id
    if site_id == page.site_id:
        page.require(rights.Right.EDIT)
    elif site := sites.find_site(call, site_id, params.scope):
        site.require(rights.Right.EDIT)
    else:
        raise errors.AccessDenied(NO_SITE)
    folder_id = params.folder_id
    if not folder_id:
        return rights.Place(site_id)
    if site_id != page.site_id:
        raise errors.FolderNotFound("A folder is one of the page's site: move to the site first.")
    # Another folder is checked when the page is moved; its parent may be in the trash.
    if folder_id == page.folder_id and not has_folder(call.connection, site_id, folder_id):
        raise errors.FolderNotFound
    return rights.Place(site_id, folder_id)
