"""`landing.landing.markDelete`: move a page to the trash or restore it (contract 4.9; P7, P8)."""

from msgspec import Struct, field

from landyard import Call, CallError, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_content import pages
from landyard_landing import errors, events, rights
from landyard_pages.group import CantDeleteMain, page_methods


class UnableDeleteInclude(CallError):
    code = "UNABLE_DELETE_INCLUDE"
    text = "The page is an area of a site's template and cannot be deleted."


class MarkDelete(Struct, frozen=True):
    """`lid`: a page's id; `mark`: into the trash if true, out of it if false."""

    page_id: NeededId = field(name="lid")
    mark: bool = True
    scope: str | None = None


@page_methods.method(
    "landing.landing.markDelete",
    right="delete",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.AccessDenied,
        CantDeleteMain,
        UnableDeleteInclude,
        SystemFailure,
    ],
    example=Example({"lid": 12}, result=12),
)
def mark_delete(call: Call, params: MarkDelete) -> int:
    """Move a page, unpublished, to the trash, or with `mark` false restore it.

    Answers the page's id. A restored page is inactive; if another page has taken its address, its
    code gets a suffix. Needs the right to delete.
    """
    try:
        page = rights.hold_page(call, params.page_id, params.scope, rights.Right.DELETE, trash=True)
    except errors.LandingNotExist:
        raise errors.AccessDenied from None  # the contract has no other code for this (R2)
    if page.deleted == params.mark:
        return page.id
    signed = (call.now(), call.actor.user_id)
    if not params.mark:
        pages.restore_page(call.connection, page.id, *signed, page)
        events.announce_pages(call, "restored", [page.id])
        return page.id
    if page.area:
        raise UnableDeleteInclude
    if not pages.trash_page(call.connection, page.id, *signed, unless_needed=True):
        raise CantDeleteMain
    events.announce_pages(call, "trashed", [page.id])
    return page.id
