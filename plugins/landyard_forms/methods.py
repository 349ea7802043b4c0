"""`landyard.form.list`, `submissions`, `export`, `recipients`, `remove`, `file`: a page's forms."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from sqlalchemy import Select, func, select

from landyard import (
    Call,
    Example,
    Id,
    Irreversible,
    MethodGroup,
    MissingParams,
    NeededId,
    Paged,
    WrongType,
    read_page,
)
from landyard_content.blocks import ListedBlock, list_blocks
from landyard_forms.answers import Answer
from landyard_forms.attachments import MEDIA_TYPES
from landyard_forms.export import as_csv
from landyard_forms.fields import CODE, Field, name_of, read_form
from landyard_forms.settings import FormSettings, recipients_of
from landyard_forms.submissions import remove_chosen
from landyard_forms.tables import FILE, SUBMISSION
from landyard_landing import errors, rights

forms = MethodGroup(scope="landing")
_MOST_BLOCKS = 10_000
_SHOWN = (
    SUBMISSION.id,
    SUBMISSION.form_id,
    SUBMISSION.sent_at,
    SUBMISSION.answers,
    SUBMISSION.consent,
)
_ID = Annotated[int, Meta(ge=1, le=2**53)]


class OfPage(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")


class OfForm(Struct, frozen=True):
    """`lid`: a page's id; `form`: the id of one form, from landyard.form.list."""

    page_id: NeededId = field(name="lid")
    form_id: Id | None = field(name="form", default=None)


class ListSubmissions(OfForm, frozen=True):
    """`start`: the offset of the first submission to answer."""

    start: int = 0


class Remove(Struct, frozen=True):
    """`lid`: a page's id; `ids`: ids of submissions."""

    page_id: NeededId = field(name="lid")
    ids: Annotated[list[_ID], Meta(min_length=1, max_length=1000)]


class GetFile(Struct, frozen=True):
    """`lid`: a page's id; `id`: a submission's id; `name`: the name of the file's field."""

    page_id: NeededId = field(name="lid")
    submission_id: NeededId = field(name="id")
    name: str


class SubmittedFile(Struct, frozen=True):
    """A file: its name, media type, size in bytes, and its content as Base64."""

    name: str
    type: str
    size: int
    content: str


class ListedForm(Struct, frozen=True):
    """A form on the published page, or, without fields, a former one with submissions.

    `name` is the title of its block, or empty. `submissions` is the number of stored ones, and
    `last_at` the time of the last.
    """

    id: int
    name: str
    fields: list[Field]
    next: str
    submissions: int
    last_at: datetime | None


class Submission(Struct, frozen=True):
    """A submission: the answers with their labels at that time, and the text consented to."""

    id: int
    form: int
    sent_at: datetime
    answers: list[Answer]
    consent: str


@forms.method(
    "landyard.form.list",
    right="edit",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10}, result=[]),
)
def list_forms(call: Call, params: OfPage) -> list[ListedForm]:
    """List the forms of a published page, and former forms with stored submissions."""
    _require(call, params.page_id)
    counted = _counts(call, params.page_id)
    blocks = list_blocks(
        call.connection, params.page_id, public=True, deleted=False, limit=_MOST_BLOCKS
    )
    current = [
        _listed(each, counted.pop(each.id, (0, None))) for each in blocks if each.code == CODE
    ]
    former = [ListedForm(form_id, "", [], "", *count) for form_id, count in sorted(counted.items())]
    return current + former


@forms.method(
    "landyard.form.submissions",
    right="edit",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10}, result=[]),
)
def submissions(call: Call, params: ListSubmissions) -> Paged[Submission]:
    """List the submissions to the forms of a page, the latest first.

    At most 50 are answered; if more remain, the envelope carries `next` and `total`.
    """
    query = _of_form(call, params).order_by(SUBMISSION.id.desc())
    return read_page(call.connection, query, params.start, _submission)


@forms.method(
    "landyard.form.export",
    right="edit",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10}, result='"id","sent","consent"\r\n'),
)
def export(call: Call, params: OfForm) -> str:
    """Answer all submissions to the forms of a page as CSV, the oldest first.

    A text that a program would read as a formula gets an apostrophe, also after a semicolon.
    """
    return as_csv(call.connection.execute(_of_form(call, params).order_by(SUBMISSION.id)))


@forms.method(
    "landyard.form.recipients",
    right="edit",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10}, result=[]),
)
def recipients(call: Call, params: OfPage) -> list[str]:
    """List the mail addresses that receive the submissions of a page; empty if no mail is sent.

    They come from the section `[forms]` of landyard.toml.
    """
    page = _require(call, params.page_id)
    return recipients_of(call.settings(FormSettings), page.site_id)


@forms.method(
    "landyard.form.remove",
    right="edit",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10, "ids": [1, 2]}, result=0),
)
def remove(call: Call, params: Remove) -> int:
    """Remove submissions of a page for good; answers the number removed."""
    _require(call, params.page_id)
    chosen = select(SUBMISSION.id).where(
        SUBMISSION.id.in_(params.ids), SUBMISSION.page_id == params.page_id
    )
    return remove_chosen(call.connection, chosen)


@forms.method(
    "landyard.form.file",
    right="edit",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied],
    example=Example({"lid": 10, "id": 1, "name": "photo"}, result=None),
)
def get_file(call: Call, params: GetFile) -> SubmittedFile | None:
    """Answer a file of a submission; null if there is none.

    The file has no public address; only users who may edit the page get it, by this method.
    """
    _require(call, params.page_id)
    query = select(FILE.name, FILE.kind, FILE.content).join(
        SUBMISSION.id.table, SUBMISSION.id == FILE.submission_id
    )
    row = call.connection.execute(
        query.where(
            FILE.submission_id == params.submission_id,
            FILE.field == params.name,
            SUBMISSION.page_id == params.page_id,
        )
    ).first()
    if row is None:
        return None
    content = b64encode(row.content).decode()
    return SubmittedFile(row.name, MEDIA_TYPES[row.kind], len(row.content), content)


def _require(call: Call, page_id: int) -> rights.ViewedPage:
    page = rights.find_page(call, page_id, None, trash=True, every_type=True)
    page.require(rights.Right.EDIT)
    return page


def _of_form(call: Call, params: OfForm) -> Select[Any]:
    """Return a query of the submissions to a page, or to one of its forms."""
    _require(call, params.page_id)
    query = select(*_SHOWN).where(SUBMISSION.page_id == params.page_id)
    return query if params.form_id is None else query.where(SUBMISSION.form_id == params.form_id)


def _counts(call: Call, page_id: int) -> dict[int, tuple[int, datetime | None]]:
    query = select(SUBMISSION.form_id, func.count(), func.max(SUBMISSION.sent_at))
    rows = call.connection.execute(
        query.where(SUBMISSION.page_id == page_id).group_by(SUBMISSION.form_id)
    )
    return {form_id: (count, last_at) for form_id, count, last_at in rows}


def _listed(block: ListedBlock, count: tuple[int, datetime | None]) -> ListedForm:
    form = read_form(block.content)
    fields: Sequence[Field] = form.fields if form else ()
    name = name_of(block.content)
    return ListedForm(block.id, name, list(fields), form.next if form else "", *count)


def _submission(row: Any) -> Submission:
    answers = [Answer(**each) for each in row.answers]
    return Submission(row.id, row.form_id, row.sent_at, answers, row.consent)
