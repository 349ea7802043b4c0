"""`landyard.page.authors`: the names of the users who changed or published a page."""

from msgspec import Struct

from landyard import Call, Example, MissingParams, WrongType
from landyard_blocks.group import block_methods
from landyard_blocks.history import OfPage
from landyard_landing import errors, history, rights


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
    return [Author(*each) for each in history.authors_of(call.connection, page.id)]
