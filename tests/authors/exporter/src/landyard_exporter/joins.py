"""Joins in `landing.landing.update`: adds the number of the page's rows."""

from collections.abc import Mapping

from landyard import Call
from msgspec import Struct
from sqlmodel import col, func, select

from landyard_exporter.tables import Row


def count_rows(call: Call, params: Struct, result: object) -> dict[str, int] | None:
    """Add `exported` to an answer that is an object.

    `landing.landing.update` answers `true`, which has no place for fields, so nothing is added
    there.
    """
    if not isinstance(result, Mapping | Struct):
        return None
    page = col(Row.page_id) == getattr(params, "page_id", 0)
    query = select(func.count()).select_from(Row).where(page)
    return {"exported": call.session.exec(query).one()}
