"""`landing.landing.delete`: remove a page for good (contract 4.10; P10)."""

from msgspec import Struct, field

from landyard import (
    Call,
    CallError,
    Example,
    Irreversible,
    MissingParams,
    NeededId,
    SystemFailure,
    WrongType,
)
from landyard_content import files, pages
from landyard_landing import errors, events, rights
from landyard_pages.group import page_methods


class LandingIsLock(CallError):
    code = "LANDING_IS_LOCK"
    text = "The page is locked against deletion; unlock it first."


class Delete(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@page_methods.method(
    "landing.landing.delete",
    right="delete",
    writes=True,
    notes=[Irreversible()],
    errors=[
        MissingParams,
        WrongType,
        errors.LandingNotExist,
        errors.AccessDenied,
        LandingIsLock,
        SystemFailure,
    ],
    example=Example({"lid": 12}, result=True),
)
def delete(call: Call, params: Delete) -> bool:
    """Remove a page for good, in the trash or not, with its blocks, history and files.

    Files that are used elsewhere stay. A site whose main page is deleted has none afterwards. Needs
    the right to delete; a locked page cannot be removed.
    """
    page = rights.hold_page(call, params.page_id, params.scope, rights.Right.DELETE, trash=True)
    if page.locked:
        raise LandingIsLock
    events.announce_pages(call, "deleted", [page.id])
    pages.erase_pages(call, files.file_store(call), [page.id])
    return True
