"""`landyard.page.authors`: the names of the users who changed or published a page."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, or_, select

from landyard import Call, Example, MissingParams, WrongType, credentials
from landyard_blocks.group import block_methods
from landyard_blocks.history import OfPage
from landyard_landing import change_tables, errors, rights, tables

_USER = credentials.USER.c
_OF_EDITS = select(change_tables.HISTORY.user_id).where(
    change_tables.HISTORY.page_id == bindparam("page_id")
)
_OF_PAGE = select(tables.PAGE.id).where(
    tables.PAGE.id == bindparam("page_id"),
    or_(tables.PAGE.created_by == _USER.id, tables.PAGE.modified_by == _USER.id),
)
# A user who publishes a page signs the copies that visitors see, and changes nothing.
_OF_COPIES = [
    select(signed).where(tables.BLOCK.page_id == bindparam("page_id"), tables.BLOCK.public)
    for signed in (tables.BLOCK.created_by, tables.BLOCK.modified_by)
]
_AUTHORS = (
    select(_USER.id, _USER.name)
    .where(
        or_(
            _USER.id.in_(_OF_EDITS), *(_USER.id.in_(each) for each in _OF_COPIES), _OF_PAGE.exists()
        )
    )
    .order_by(_USER.id)
)


class Author(Struct, frozen=True):
    """A user who changed or published the page: id and name."""

    id: int
    name: str


@block_methods.method(
    "landyard.page.authors",
    right="edit",
    errors=(MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied),
    example=Example({"lid": 10}, result=[]),
)
def list_authors(call: Call, params: OfPage) -> list[Author]:
    """List the users who created, changed or published a page, by id and name only.

    They are the users in `landing.landing.history.getList`, which needs the same right and answers
    their ids, and the user who published the current version.
    """
    page = rights.find_page(call, params.page_id, params.scope)
    page.require(rights.Right.EDIT)
    return [Author(*each) for each in _authors_of(call.connection, page.id)]


def _authors_of(connection: Connection, page_id: int) -> list[tuple[int, str]]:
    """List the users who have made a page, changed or published it: their ids and names."""
    return [(row.id, row.name) for row in connection.execute(_AUTHORS, {"page_id": page_id})]
