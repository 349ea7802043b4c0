"""Areas of frames: which page is shown in which, read and replaced."""

from collections.abc import Mapping

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, or_, select

from landyard import Call, Prepared, one_of
from landyard_landing import AREA, PAGE, mark_areas, take_turn

_OWN = or_(AREA.site_id == bindparam("of_site"), AREA.framed_id == bindparam("of_page"))
_LIST = Prepared(select(AREA.number, AREA.page_id).where(_OWN).order_by(AREA.number))
_FORGET = Prepared(delete(AREA.id.table).where(_OWN))
_ADD = Prepared(insert(AREA.id.table))
_OF_SITE = Prepared(
    select(PAGE.id)
    .where(one_of(PAGE.id, "page_ids"), PAGE.site_id == bindparam("site_id"), ~PAGE.deleted)
    .order_by(PAGE.id)
    .with_for_update(key_share=True),
    int,
)


class Owner(Struct, frozen=True):
    """Whose frame it is: that of a site's pages, or that of one page; the other id is 0."""

    site_id: int = 0
    page_id: int = 0


def areas_of(connection: Connection, owner: Owner) -> dict[int, int]:
    """List the pages of a frame by the numbers of its areas."""
    return dict(_LIST.all(connection, of_site=owner.site_id, of_page=owner.page_id))


def replace_areas(call: Call, owner: Owner, site_id: int, wanted: Mapping[int, int]) -> None:
    """Show pages of a site in the areas of a frame, in place of those shown before.

    Pages that the site has not are passed over with a warning, and so is the page whose frame it
    is. A page is an area as long as any frame has it: then it cannot go to the trash.
    """
    connection = call.connection
    take_turn(connection, "areas")
    before = areas_of(connection, owner)
    asked = sorted({*wanted.values()} - {owner.page_id})
    known = {*_OF_SITE.all(connection, page_ids=asked, site_id=site_id)}
    shown = {number: page_id for number, page_id in wanted.items() if page_id in known}
    if passed_over := sorted({*wanted.values()} - known):
        named = ", ".join(map(str, passed_over))[:200]
        call.warn(f"pages that cannot be shown there were passed over: {named}")
    if shown == before:
        return
    _FORGET.run(connection, of_site=owner.site_id, of_page=owner.page_id)
    whose = {"site_id": owner.site_id or None, "framed_id": owner.page_id or None}
    _ADD.run_each(
        connection,
        [{**whose, "number": number, "page_id": shown[number]} for number in sorted(shown)],
    )
    mark_areas(connection, sorted({*before.values(), *shown.values()}))
