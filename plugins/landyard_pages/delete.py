"""`landing.landing.delete`: remove a page for good (contract 4.10; P10)."""

from msgspec import Struct, field

from landyard import (
    Call,
    CallError,
    Example,
    Irreversible,
    MissingParams,
    NeededId,
    Settings,
    SystemFailure,
    WrongType,
)
from landyard_landing import (
    AccessDenied,
    LandingNotExist,
    PageDeleted,
    Right,
    announce,
    erase_pages,
    file_store,
    hold_page,
)
from landyard_pages.group import pages


class LandingIsLock(CallError):
    code = "LANDING_IS_LOCK"
    text = "The page is locked against deletion; unlock it first."


class Delete(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@pages.method(
    "landing.landing.delete",
    right="delete",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, LandingNotExist, AccessDenied, LandingIsLock, SystemFailure],
    example=Example({"lid": 12}, result=True),
)
def delete(call: Call, params: Delete) -> bool:
    """Remove a page for good, in the trash or not, with its blocks, history and files.

    Files that are used elsewhere stay. A site whose main page is deleted has none afterwards. Needs
    the right to delete; a locked page cannot be removed.
    """
    page = hold_page(call, params.page_id, params.scope, Right.DELETE, trash=True)
    if page.locked:
        raise LandingIsLock
    announce(call, PageDeleted, page.id, page.site_id)
    erase_pages(call, file_store(call.settings(Settings)), [page.id])
    return True
