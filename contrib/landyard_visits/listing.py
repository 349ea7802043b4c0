"""`landyard.visits.list`: the visit counts of a page, or of all pages of a site."""

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
from landyard_landing import errors, rights, sites, tables
from landyard_visits.tables import DAY

visits = MethodGroup(scope="landing")


class ListVisits(Struct, frozen=True):
    """`lid`: a page's id, or `siteId`: a site's, for all of its pages.

    `from` and `to`: the first and the last day, such as 2027-05-01; no limit if left out.
    `start`: the offset of the first row to answer.
    """

    page_id: Id | None = field(name="lid", default=None)
    site_id: Id | None = field(name="siteId", default=None)
    first: str = field(name="from", default="")
    last: str = field(name="to", default="")
    start: int = 0


class PageDay(Struct, frozen=True):
    """The visits of a page on a day, which begins at midnight UTC."""

    lid: int
    day: date
    visits: int


@visits.method(
    "landyard.visits.list",
    right="view",
    errors=[
        MissingParams,
        WrongType,
        errors.LandingNotExist,
        errors.SiteNotFound,
        errors.AccessDenied,
    ],
    example=Example({"siteId": 1, "from": "2027-05-01", "to": "2027-05-31"}, result=[]),
)
def list_visits(call: Call, params: ListVisits) -> Paged[PageDay]:
    """List the visits of pages by day, the latest first; days without visits have no row.

    Not counted are programs that name themselves, and visitors who ask not to be tracked. A visit
    counts after some seconds. At most 50 rows are answered; if more remain, the envelope carries
    `next` and `total`.
    """
    conditions = [_pages_condition(call, params)]
    if params.first:
        conditions.append(DAY.day >= _day(params.first, "from"))
    if params.last:
        conditions.append(DAY.day <= _day(params.last, "to"))
    query = select(DAY.page_id, DAY.day, DAY.visits).where(*conditions)
    query = query.order_by(DAY.day.desc(), DAY.page_id)
    return read_page(call.connection, query, params.start, _page_day)


def _pages_condition(call: Call, params: ListVisits) -> Any:
    if params.page_id is not None:
        page = rights.find_page(call, params.page_id, None, trash=True, every_type=True)
        page.require(rights.Right.VIEW)
        return DAY.page_id == page.id
    if params.site_id is None:
        raise MissingParams("Give `lid`, a page's id, or `siteId`, a site's.")
    site = sites.find_site(call, params.site_id, None, every_type=True, trash=True)
    if site is None:
        raise errors.SiteNotFound
    return DAY.page_id.in_(select(tables.PAGE.id).where(tables.PAGE.site_id == site.id))


def _day(written: str, name: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise WrongType.of(name, "a day, such as 2027-05-01") from None


def _page_day(row: Any) -> PageDay:
    return PageDay(row.page_id, row.day, row.visits)
