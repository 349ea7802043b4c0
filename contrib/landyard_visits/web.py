"""The route `/-/visits`: an empty image whose request counts a visit."""

from typing import TYPE_CHECKING, Any

from litestar import Request, Response, get
from litestar.params import FromQuery

from landyard_visits.counting import is_visit
from landyard_visits.page_image import PLACE

if TYPE_CHECKING:
    from landyard_visits.counting import Visits

_PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_BIGGEST_ID = 2**31 - 1  # the largest value of an id column


def picture(visits: "Visits") -> object:
    """Return the route handler."""

    @get(PLACE)
    def visit(request: Request[Any, Any, Any], page: FromQuery[int] = 0) -> Response[bytes]:
        """Answer an empty image, and count a visit of the page."""
        if 0 < page <= _BIGGEST_ID and is_visit(request.headers):
            visits.count(page)
        return Response(_PICTURE, headers=_HEADERS, media_type="image/svg+xml")

    return visit
