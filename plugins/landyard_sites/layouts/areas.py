"""The stored areas of frames: the page shown in each area, and their replacement."""

from collections.abc import Mapping

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, or_, select

from landyard import Call, Prepared, one_of
from landyard_landing import advisory_lock, site_tables, sites, tables

_OWN = or_(
    site_tables.AREA.site_id == bindparam("of_site"),
    site_tables.AREA.framed_id == bindparam("of_page"),
)
_LIST = Prepared(
    select(site_tables.AREA.number, site_tables.AREA.page_id)
    .where(_OWN)
    .order_by(site_tables.AREA.number)
)
_FORGET = Prepared(delete(site_tables.AREA.id.table).where(_OWN))
_ADD = Prepared(insert(site_tables.AREA.id.table))
_OF_SITE = Prepared(
    select(tables.PAGE.id)
    .where(
        one_of(tables.PAGE.id, "page_ids"),
        tables.PAGE.site_id == bindparam("site_id"),
        ~tables.PAGE.deleted,
    )
    .order_by(tables.PAGE.id)
    .with_for_update(key_share=True),
    int,
)


class Owner(Struct, frozen=True):
    """The owner of a frame: a site, for all its pages, or one page; the other id is 0."""

    site_id: int = 0
    page_id: int = 0


def areas_of(connection: Connection, owner: Owner) -> dict[int, int]:
    """Return the page ids in a frame by the numbers of areas."""
    return dict(_LIST.all(connection, of_site=owner.site_id, of_page=owner.page_id))


def replace_areas(call: Call, owner: Owner, site_id: int, areas: Mapping[int, int]) -> None:
    """Set the pages of a site in the areas of a frame, replacing earlier ones.

    Pages of other sites, and the frame's own page, are ignored with a warning. A page in an area of
    any frame is marked as an area and cannot be moved to the trash.
    """
    connection = call.connection
    advisory_lock.acquire(connection, "areas")
    before = areas_of(connection, owner)
    page_ids = sorted({*areas.values()} - {owner.page_id})
    existing = {*_OF_SITE.all(connection, page_ids=page_ids, site_id=site_id)}
    after = {number: page_id for number, page_id in areas.items() if page_id in existing}
    if ignored := sorted({*areas.values()} - existing):
        names = ", ".join(map(str, ignored))[:200]
        call.warn(f"pages that cannot be shown there were ignored: {names}")
    if after == before:
        return
    _FORGET.run(connection, of_site=owner.site_id, of_page=owner.page_id)
    owner_columns = {"site_id": owner.site_id or None, "framed_id": owner.page_id or None}
    _ADD.run_each(
        connection,
        [{**owner_columns, "number": number, "page_id": after[number]} for number in sorted(after)],
    )
    sites.mark_areas(connection, sorted({*before.values(), *after.values()}))
