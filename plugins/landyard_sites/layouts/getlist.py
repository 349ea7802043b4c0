"""`landing.template.getlist`: the available frames."""

from datetime import UTC, datetime

from msgspec import Struct
from sqlalchemy import Boolean, Integer, String, literal, select, union_all

from landyard import Call, Example, Moment, Paged, SystemFailure, WrongType
from landyard_landing import errors, rights, sites
from landyard_public.frames import FRAMES
from landyard_sites.layouts.group import layouts

_STEP = 100
_MADE = datetime(2026, 1, 1, tzinfo=UTC)  # frames are built in and do not change
_ROWS = union_all(
    *(
        select(
            literal(frame.id, Integer).label("id"),
            literal(True, Boolean).label("active"),
            literal(frame.title, String).label("title"),
            literal(number * _STEP, Integer).label("sort"),
            literal(frame.code, String).label("xml_id"),
            literal(frame.content, String).label("content"),
            literal(len(frame.areas), Integer).label("area_count"),
            literal(0, Integer).label("user_id"),
            literal(_MADE, Moment).label("at"),
        )
        for number, frame in enumerate(FRAMES.values(), 1)
    )
).subquery()
_FRAME = _ROWS.c
_FRAMES = sites.Selection(
    select(_FRAME.id),
    {
        "ID": _FRAME.id,
        "ACTIVE": _FRAME.active,
        "TITLE": _FRAME.title,
        "SORT": _FRAME.sort,
        "XML_ID": _FRAME.xml_id,
        "CONTENT": _FRAME.content,
        "AREA_COUNT": _FRAME.area_count,
        "CREATED_BY_ID": _FRAME.user_id,
        "MODIFIED_BY_ID": _FRAME.user_id,
        "DATE_CREATE": _FRAME.at,
        "DATE_MODIFY": _FRAME.at,
    },
)


class GetList(Struct, frozen=True):
    """`params`: a filter, and the fields to answer."""

    params: sites.Selecting = sites.Selecting()


@layouts.method(
    "landing.template.getlist",
    right="access to sites",
    errors=[errors.AccessDenied, WrongType, SystemFailure],
    example=Example(
        {"params": {"select": ["ID", "TITLE", "XML_ID"], "order": {"SORT": "ASC"}, "limit": 2}},
        result=[
            {"ID": "1", "TITLE": "With header and footer", "XML_ID": "header_footer"},
            {"ID": "2", "TITLE": "With left sidebar", "XML_ID": "sidebar_left"},
        ],
    ),
)
def get_list(call: Call, params: GetList) -> Paged[sites.Row]:
    """List the frames for pages; a page or site refers to one by its `ID`, as `TPL_ID`.

    In `CONTENT`, `#CONTENT#` stands for the page, and `#AREA_1#` etc. for the areas around it.
    `params` is as in `landing.landing.getList`. Needs access to sites.
    """
    rights.require_access(call)
    return _FRAMES.read(call, params.params)
