"""`landyard.page.authors`: the names of those who have changed a page, or published it."""

from msgspec import Struct

from landyard import Call, Example, MissingParams, WrongType
from landyard_editing.group import editing
from landyard_editing.history import OfPage
from landyard_landing import AccessDenied, LandingNotExist, Right, authors_of, find_page


class Author(Struct, frozen=True):
    """Somebody who has changed the page or published it: the id that is told, and the name."""

    id: int
    name: str


@editing.method(
    "landyard.page.authors",
    right="edit",
    errors=(MissingParams, WrongType, LandingNotExist, AccessDenied),
    example=Example({"lid": 10}, result=[]),
)
def list_authors(call: Call, params: OfPage) -> list[Author]:
    """List who has made a page, changed or published it: their names, and nothing else of them.

    They are those of `landing.landing.history.getList`, which tells ids, and needs the same right,
    and who has published what visitors see.
    """
    page = find_page(call, params.page_id, params.scope)
    page.require(Right.EDIT)
    return [Author(*each) for each in authors_of(call.connection, page.id)]
