"""`landyard.page.authors`: the names of the users who changed or published a page."""

from msgspec import Struct

from landyard import Call, Example, MissingParams, WrongType
from landyard_editing.group import editing
from landyard_editing.history import OfPage
from landyard_landing import AccessDenied, LandingNotExist, Right, authors_of, find_page


class Author(Struct, frozen=True):
    """A user who changed or published the page: id and name."""

    id: int
    name: str


@editing.method(
    "landyard.page.authors",
    right="edit",
    errors=(MissingParams, WrongType, LandingNotExist, AccessDenied),
    example=Example({"lid": 10}, result=[]),
)
def list_authors(call: Call, params: OfPage) -> list[Author]:
    """List the users who created, changed or published a page, by id and name only.

    They are the users in `landing.landing.history.getList`, which needs the same right and answers
    their ids, and the user who published the current version.
    """
    page = find_page(call, params.page_id, params.scope)
    page.require(Right.EDIT)
    return [Author(*each) for each in authors_of(call.connection, page.id)]
