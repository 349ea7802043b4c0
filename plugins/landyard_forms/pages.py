"""`landyard.form.pages`: the pages that have submissions."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import UNSET, Struct
from sqlalchemy import func, select

from landyard import Call, Example, Paged, WrongType
from landyard_forms.methods import forms
from landyard_forms.tables import SUBMISSION
from landyard_landing import errors, rights, tables

_LISTED = 50


class ListPages(Struct, frozen=True):
    """`start`: the offset of the first page to answer."""

    start: int = 0


class SentTo(Struct, frozen=True):
    """A page, its number of stored submissions, and the time of the last."""

    page: int
    title: str
    submissions: int
    last_at: datetime


@forms.method(
    "landyard.form.pages",
    right="edit",
    errors=[WrongType, errors.AccessDenied],
    example=Example({}, result=[]),
)
def list_pages(call: Call, params: ListPages) -> Paged[SentTo]:
    """List the pages with submissions, those with the latest first.

    Only pages that the caller may edit are listed. At most 50 are answered; if more remain, the
    envelope carries `next` and `total`.
    """
    rights.require_access(call)
    start = max(params.start, 0)
    pages = list(_editable(call))
    end = start + _LISTED
    more = end < len(pages)
    return Paged(pages[start:end], end if more else UNSET, len(pages) if more else UNSET)


def _editable(call: Call) -> Iterator[SentTo]:
    last = func.max(SUBMISSION.sent_at)
    query = (
        select(tables.PAGE.id, tables.PAGE.title, func.count(), last)
        .join(SUBMISSION.id.table, SUBMISSION.page_id == tables.PAGE.id)
        .group_by(tables.PAGE.id, tables.PAGE.title)
        .order_by(last.desc(), tables.PAGE.id)
    )
    for row in call.connection.execute(query).all():
        try:
            rights.find_page(call, row[0], None, trash=True, every_type=True).require(
                rights.Right.EDIT
            )
        except (errors.AccessDenied, errors.LandingNotExist):
            continue
        yield SentTo(*row)
