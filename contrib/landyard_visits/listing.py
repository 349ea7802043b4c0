"""`landyard.visits.list`: how often the pages of a site, or one page, are seen."""

from datetime import date
from typing import Any

from msgspec import Struct, field
from sqlalchemy import select

from landyard import (
    Call,
    Example,
    Id,
    MethodGroup,
    MissingParams,
    Paged,
    WrongType,
    read_page,
)
from landyard_landing import (
    PAGE,
    AccessDenied,
    LandingNotExist,
    Right,
    SiteNotFound,
    find_page,
    find_site,
)
from landyard_visits.tables import DAY

visits = MethodGroup(scope="landing")


class ListVisits(Struct, frozen=True):
    """`lid`: a page's id, or `siteId`: a site's, for all of its pages.

    `from` and `to`: the first and the last day, such as 2027-05-01; all where they are left out.
    `start`: the offset of the first row to answer.
    """

    page_id: Id | None = field(name="lid", default=None)
    site_id: Id | None = field(name="siteId", default=None)
    first: str = field(name="from", default="")
    last: str = field(name="to", default="")
    start: int = 0


class PageDay(Struct, frozen=True):
    """How often a page was seen on a day, which begins at midnight UTC."""

    lid: int
    day: date
    visits: int


@visits.method(
    "landyard.visits.list",
    right="view",
    errors=[MissingParams, WrongType, LandingNotExist, SiteNotFound, AccessDenied],
    example=Example({"siteId": 1, "from": "2027-05-01", "to": "2027-05-31"}, result=[]),
)
def list_visits(call: Call, params: ListVisits) -> Paged[PageDay]:
    """List how often pages were seen, by day, the latest first; what was not seen has no row.

    Programs that say what they are, and whoever asks not to be tracked, are not counted. A visit
    counts after some seconds. At most 50 are answered; where more remain the envelope carries
    `next` and `total`.
    """
    wanted = [_whose(call, params)]
    if params.first:
        wanted.append(DAY.day >= _day(params.first, "from"))
    if params.last:
        wanted.append(DAY.day <= _day(params.last, "to"))
    query = select(DAY.page_id, DAY.day, DAY.visits).where(*wanted)
    query = query.order_by(DAY.day.desc(), DAY.page_id)
    return read_page(call.connection, query, params.start, _page_day)


def _whose(call: Call, params: ListVisits) -> Any:
    if params.page_id is not None:
        page = find_page(call, params.page_id, None, trash=True, every_type=True)
        page.require(Right.VIEW)
        return DAY.page_id == page.id
    if params.site_id is None:
        raise MissingParams("Give `lid`, a page's id, or `siteId`, a site's.")
    site = find_site(call, params.site_id, None, every_type=True, trash=True)
    if site is None:
        raise SiteNotFound
    return DAY.page_id.in_(select(PAGE.id).where(PAGE.site_id == site.id))


def _day(written: str, name: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise WrongType.of(name, "a day, such as 2027-05-01") from None


def _page_day(row: Any) -> PageDay:
    return PageDay(row.page_id, row.day, row.visits)
