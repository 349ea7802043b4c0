"""`landyard.picture.list` and `update`: a page's uploaded pictures, their alt texts and focus."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field
from sqlalchemy import delete, insert, select

from landyard import (
    Call,
    CallError,
    Example,
    MethodGroup,
    MissingParams,
    NeededId,
    Paged,
    WrongType,
    fold,
    folded,
    read_page,
)
from landyard_content import files
from landyard_landing import advisory_lock, errors, rights, tables
from landyard_pictures.tables import DETAIL, PICTURE

pictures = MethodGroup(scope="landing")
_PERCENT = Annotated[int, Meta(ge=0, le=100)]
_SHOWN = (
    *(
        tables.FILE.id,
        tables.FILE.key,
        tables.FILE.name,
        tables.FILE.page_id,
        PICTURE.width,
        PICTURE.height,
    ),
    *(PICTURE.variants, DETAIL.alt, DETAIL.focus_x, DETAIL.focus_y),
)
_LIST = (
    select(*_SHOWN)
    .join(PICTURE.key.table, PICTURE.key == tables.FILE.key, isouter=True)
    .join(DETAIL.key.table, DETAIL.key == tables.FILE.key, isouter=True)
    .order_by(tables.FILE.id.desc())
)


class PictureNotFound(CallError):
    code = "PICTURE_NOT_FOUND"
    text = "No picture with this id was uploaded for the page."


class OfPage(Struct, frozen=True):
    """`lid`: a page's id; `whole_site`: also pictures uploaded for other pages of its site.

    `every_site`: also pictures for pages of other sites that the caller may view; `find`: a part of
    the file's name; `start`: the offset of the first picture to answer.
    """

    page_id: NeededId = field(name="lid")
    whole_site: bool = False
    every_site: bool = False
    find: Annotated[str, Meta(max_length=120)] = ""
    start: int = 0


class Update(Struct, frozen=True):
    """`lid`: a page's id; `id`: a picture's id, as answered by landing.block.uploadfile.

    `alt`: the alternative text; `focus`: the point to keep in view, as two percentages from the
    left and from the top, or an empty list for none. Fields left out stay.
    """

    page_id: NeededId = field(name="lid")
    picture_id: NeededId = field(name="id")
    alt: Annotated[str, Meta(max_length=1000)] | UnsetType = UNSET
    focus: Annotated[list[_PERCENT], Meta(max_length=2)] | UnsetType = UNSET


class Listed(Struct, frozen=True):
    """An uploaded picture: its path, its size if known, its alternative text and focus.

    `lid` is the page for which it was uploaded. `widths` are those of its variants; `focus` is
    empty if none was set. `pages` are the pages that use it, including drafts, of the site or of
    all sites, as requested; it is absent in a list for one page.
    """

    id: int
    page_id: int = field(name="lid")
    src: str
    width: int
    height: int
    widths: list[int]
    alt: str
    focus: list[int]
    pages: list[int] | UnsetType = UNSET


@pictures.method(
    "landyard.picture.list",
    right="view",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10}, result=[]),
)
def list_pictures(call: Call, params: OfPage) -> Paged[Listed]:
    """List the pictures uploaded for a page, its site, or every site, the latest first.

    At most 50 are answered; if more remain, the envelope carries `next` and `total`.
    """
    page = rights.find_page(call, params.page_id, None, every_type=True)
    query = _LIST.where(folded(tables.FILE.name).contains(fold(params.find), autoescape=True))
    if not (params.whole_site or params.every_site):
        query = query.where(tables.FILE.page_id == page.id)
        return read_page(call.connection, query, params.start, _listed)
    own = select(tables.SITE.id).where(tables.SITE.id == page.site_id)
    sites = files.sites_seen(call) if params.every_site else own
    query = query.where(files.is_page_of(tables.FILE.page_id, sites))
    page_of_rows = read_page(call.connection, query, params.start, lambda row: row)
    uses = files.uses_of(call.connection, [row.key for row in page_of_rows.items], sites)
    pictures_listed = [_listed(row, sorted(uses[row.key].pages)) for row in page_of_rows.items]
    return Paged(pictures_listed, page_of_rows.next, page_of_rows.total)


@pictures.method(
    "landyard.picture.update",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied, PictureNotFound],
    example=Example(
        {"lid": 10, "id": 1, "alt": "A boat at low water", "focus": [30, 60]}, result=True
    ),
)
def update(call: Call, params: Update) -> bool:
    """Set the alternative text and focus of a picture uploaded for a page.

    Published pages use them at once, in every block with the picture. The text is used in blocks
    without an own one; the focus stays in view if the picture is cropped, unless a block has its
    own.
    """
    page = rights.find_page(call, params.page_id, None, every_type=True)
    page.require(rights.Right.EDIT)
    if not isinstance(params.focus, UnsetType) and len(params.focus) == 1:
        raise WrongType.of("focus", "two percentages, or an empty list", params.focus)
    advisory_lock.acquire(call.connection, f"pictures.{params.picture_id}")
    query = _LIST.where(tables.FILE.id == params.picture_id, tables.FILE.page_id == page.id)
    row = call.connection.execute(query).first()
    if row is None:
        raise PictureNotFound
    left, top = row.focus_x, row.focus_y
    if not isinstance(params.focus, UnsetType):
        left, top = params.focus or (None, None)
    alt = (
        (row.alt or "")
        if isinstance(params.alt, UnsetType)
        else params.alt.replace("\0", "").strip()
    )
    call.connection.execute(delete(DETAIL.key.table).where(DETAIL.key == row.key))
    values = {"key": row.key, "alt": alt, "focus_x": left, "focus_y": top}
    call.connection.execute(insert(DETAIL.key.table).values(**values))
    return True


def _listed(row: Any, pages: list[int] | UnsetType = UNSET) -> Listed:
    return Listed(
        row.id,
        row.page_id,
        f"/files/{row.key}/{row.name}",
        row.width or 0,
        row.height or 0,
        sorted({width for width, _ in row.variants or ()}),
        row.alt or "",
        [] if row.focus_x is None else [row.focus_x, row.focus_y],
        pages,
    )
