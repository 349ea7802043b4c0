"""`landyard.file.list`, `replace` and `remove`: uploaded files, and what uses them."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from sqlalchemy import select

from landyard import (
    ADMIN,
    Call,
    CallError,
    Example,
    Irreversible,
    MissingParams,
    NeededId,
    Paged,
    WrongType,
    one_of,
    read_page,
)
from landyard_landing.errors import AccessDenied
from landyard_landing.files.records import remove_unused
from landyard_landing.files.replacing import Replaced, replace_file
from landyard_landing.files.seen import is_page_of, sites_seen
from landyard_landing.files.uses import Uses, uses_of
from landyard_landing.operator.group import admin, files
from landyard_landing.tables import FILE


class ListFiles(Struct, frozen=True):
    """`page_id`: only files uploaded for this page; `unused`: only those that nothing uses.

    `start`: the offset of the first one.
    """

    page_id: int | None = None
    unused: bool = False
    start: int = 0


class NoSuchFile(CallError):
    code = "FILE_NOT_FOUND"
    text = "There is no such file; landyard.file.list tells them."


class ReplaceFile(Struct, frozen=True):
    """`id`, `by`: the old file and the new one, of landyard.file.list."""

    file_id: NeededId = field(name="id")
    new_id: NeededId = field(name="by")


class RemoveFiles(Struct, frozen=True):
    """`ids`: those of landyard.file.list."""

    ids: Annotated[list[int], Meta(min_length=1, max_length=1000)]


class ListedFile(Struct, frozen=True):
    """A file of so many bytes, at the path `src` of every domain.

    `page_id` and `block_id` say what it was uploaded for, page 0 is none: it is kept. `temporary`
    is what goes after a day unless something uses it. `pages` and `sites` use it: they mention it
    in a block, drafts too, or in their additional fields.
    """

    id: int
    src: str
    type: str
    size: int
    page_id: int
    block_id: int
    temporary: bool
    created_at: datetime
    created_by: int
    pages: list[int]
    sites: list[int]


@files.method(
    "landyard.file.list",
    right="view; with the scope admin an administrator's are all",
    errors=[WrongType, AccessDenied],
    example=Example({}, result=[]),
)
def list_files(call: Call, params: ListFiles) -> Paged[ListedFile]:
    """List the uploaded files, the latest first, with the pages and sites that use them.

    They are those that were uploaded for pages that the caller may view, with the uses by pages and
    sites of that kind; `unused` are those without one. An administrator's credential with the scope
    `admin` is told all. At most 50 are answered; where more remain the envelope carries `next` and
    `total`.
    """
    query = select(*FILE).order_by(FILE.id.desc())
    sites = None if ADMIN in call.actor.scopes else sites_seen(call)
    if sites is not None:
        query = query.where(is_page_of(FILE.page_id, sites))
    if params.page_id is not None:
        query = query.where(FILE.page_id == params.page_id)
    if params.unused:
        # Which ones no query can tell: files are mentioned in texts.
        keys = list(call.connection.execute(query.with_only_columns(FILE.key)).scalars())
        uses = uses_of(call.connection, keys, sites)
        unused = [key for key in keys if not uses[key].pages and not uses[key].sites]
        query = query.where(one_of(FILE.key, "keys")).params(keys=unused)
    found: Paged[Any] = read_page(call.connection, query, params.start, lambda row: row)
    uses = uses_of(call.connection, [row.key for row in found.items], sites)
    return Paged([_listed(row, uses[row.key]) for row in found.items], found.next, found.total)


@admin.method(
    "landyard.file.replace",
    right="administrator",
    writes=True,
    errors=[MissingParams, WrongType, NoSuchFile],
    example=Example({"id": 1, "by": 2}, result={"pages": [10], "sites": []}),
)
def replace(call: Call, params: ReplaceFile) -> Replaced:
    """Put another file where pages and sites mention one; answer which they are.

    It takes the place in drafts and in what visitors see, at once, and in additional fields. What
    was edited and not published stays a draft. The old file stays, and nothing uses it any more.
    """
    call.subject = f"file:{params.file_id}"
    query = select(FILE.id, FILE.key, FILE.name)
    rows = call.connection.execute(query.where(FILE.id.in_([params.file_id, params.new_id])))
    found = {row.id: row for row in rows}
    if found.keys() != {params.file_id, params.new_id}:
        raise NoSuchFile
    if params.file_id == params.new_id:
        return Replaced([], [])
    new = found[params.new_id]
    return replace_file(call, found[params.file_id].key, f"/files/{new.key}/{new.name}")


@admin.method(
    "landyard.file.remove",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType],
    example=Example({"ids": [1, 2]}, result=0),
)
def remove_files(call: Call, params: RemoveFiles) -> int:
    """Remove files for good, but for those that something uses; answer how many went.

    One that a call needs which can be undone stays until that is forgotten, and goes then.
    """
    return remove_unused(call, params.ids)


def _listed(row: Any, uses: Uses) -> ListedFile:
    return ListedFile(
        id=row.id,
        src=f"/files/{row.key}/{row.name}",
        type=row.type,
        size=row.size,
        page_id=row.page_id,
        block_id=row.block_id,
        temporary=row.temporary,
        created_at=row.created_at,
        created_by=row.created_by,
        pages=sorted(uses.pages),
        sites=sorted(uses.sites),
    )
