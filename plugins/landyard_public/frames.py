"""Frames around a site's pages, such as header and sidebar, whose areas show other pages.

A page has the frame that its `view_template` names, with areas of its own, or else its site's
frame. A page that is shown in an area has no frame.
"""

import re
from collections.abc import Mapping

from msgspec import Struct
from sqlalchemy import Connection, bindparam, or_, select

from landyard import Prepared
from landyard_landing import site_tables, tables

_PART = re.compile(r"#(CONTENT|AREA_([0-9]+))#")


class Frame(Struct, frozen=True):
    """A frame: its HTML, in which `#CONTENT#` is the page and `#AREA_<n>#` are areas."""

    id: int
    code: str
    title: str
    content: str

    @property
    def areas(self) -> list[int]:
        """The numbers of the frame's areas, in ascending order."""
        return sorted(int(found[2]) for found in _PART.finditer(self.content) if found[2])


_TOP = "#AREA_1#\n"
_SIDE = (
    '<div class="ly-frame ly-frame-{}">\n<div class="ly-frame-side">\n#AREA_2#\n</div>\n'
    '<div class="ly-frame-page">\n#CONTENT#\n</div>\n</div>\n#AREA_3#'
)
FRAMES = {
    frame.id: frame
    for frame in (
        Frame(1, "header_footer", "With header and footer", f"{_TOP}#CONTENT#\n#AREA_2#"),
        Frame(
            2,
            "sidebar_left",
            "With left sidebar",
            _TOP + _SIDE.format("left"),
        ),
        Frame(
            3,
            "sidebar_right",
            "With right sidebar",
            _TOP + _SIDE.format("right"),
        ),
        Frame(4, "header_only", "With header", f"{_TOP}#CONTENT#"),
        Frame(5, "empty", "Without areas", "#CONTENT#"),
    )
}
"""All frames, by their ids."""

_FRAMED = Prepared(
    select(
        tables.PAGE.view_template, tables.SITE.view_template.label("of_site"), tables.PAGE.site_id
    )
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.PAGE.id == bindparam("page_id"), ~tables.PAGE.area)
)
_SHOWN = (tables.PAGE.active, tables.PAGE.published, ~tables.PAGE.deleted)
_AREAS = Prepared(
    select(site_tables.AREA.number, site_tables.AREA.page_id)
    .join(tables.PAGE.id.table, tables.PAGE.id == site_tables.AREA.page_id)
    .where(
        or_(
            site_tables.AREA.site_id == bindparam("of_site"),
            site_tables.AREA.framed_id == bindparam("of_page"),
        ),
        *_SHOWN,
    )
)


class Framing(Struct, frozen=True):
    """The parts before and behind a page: pieces of the frame's HTML, and ids of area pages."""

    above: tuple[str | int, ...] = ()
    below: tuple[str | int, ...] = ()


def framing_of(connection: Connection, page_id: int) -> Framing:
    """Find the parts around a page; empty where it has no frame."""
    found = _FRAMED.first(connection, page_id=page_id)
    if found is None:
        return Framing()
    own, of_site, site_id = found
    frame = FRAMES.get(own or of_site or 0)
    if frame is None:
        return Framing()
    owner = {"of_site": 0, "of_page": page_id} if own else {"of_site": site_id, "of_page": 0}
    shown = dict(_AREAS.all(connection, **owner))
    above, _, below = frame.content.partition("#CONTENT#")
    return Framing(_pieces(above, shown), _pieces(below, shown))


def _pieces(html: str, shown: Mapping[int, int]) -> tuple[str | int, ...]:
    """Split HTML at its areas; areas without a page are left out."""
    pieces: list[str | int] = []
    at = 0
    for area in _PART.finditer(html):
        pieces.append(html[at : area.start()].strip())
        at = area.end()
        if (page_id := shown.get(int(area[2]))) is not None:
            pieces.append(page_id)
    return tuple(piece for piece in (*pieces, html[at:].strip()) if piece)
