"""`landyard.file.list`, `replace` and `remove`: uploaded files and the pages that use them."""

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
from landyard_content.files import Uses, is_page_of, remove_unused, sites_seen, uses_of
from landyard_landing import errors, tables
from landyard_sitekit.file_replacement import Replaced, replace_file
from landyard_sitekit.operator.group import admin, files


class ListFiles(Struct, frozen=True):
    """`page_id`: only files uploaded for this page; `unused`: only files that nothing uses.

    `start`: the offset of the first file.
    """

    page_id: int | None = None
    unused: bool = False
    start: int = 0


class NoSuchFile(CallError):
    code = "FILE_NOT_FOUND"
    text = "There is no such file; landyard.file.list lists the files."


class ReplaceFile(Struct, frozen=True):
    """`id`, `by`: the ids of the old and of the new file, of landyard.file.list."""

    file_id: NeededId = field(name="id")
    new_id: NeededId = field(name="by")


class RemoveFiles(Struct, frozen=True):
    """`ids`: ids of files, of landyard.file.list."""

    ids: Annotated[list[int], Meta(min_length=1, max_length=1000)]


class ListedFile(Struct, frozen=True):
    """A file of `size` bytes, at the path `src` of every domain.

    `page_id` and `block_id` are the page and block for which it was uploaded; page 0 means that the
    file is kept without a page. A `temporary` file is removed after a day unless something uses it.
    `pages` and `sites` use it: they mention it in a block, drafts included, or in their additional
    fields.
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
    errors=[WrongType, errors.AccessDenied],
    example=Example({}, result=[]),
)
def list_files(call: Call, params: ListFiles) -> Paged[ListedFile]:
    """List the uploaded files, the latest first, with the pages and sites that use them.

    The list has the files that were uploaded for pages that the caller may view, with their uses by
    pages and sites that the caller may view; `unused` are files without such a use. For an
    administrator's credential with the scope `admin` it has all files and uses. At most 50 files
    are answered; where more remain the envelope carries `next` and `total`.
    """
    query = select(*tables.FILE).order_by(tables.FILE.id.desc())
    sites = None if ADMIN in call.actor.scopes else sites_seen(call)
    if sites is not None:
        query = query.where(is_page_of(tables.FILE.page_id, sites))
    if params.page_id is not None:
        query = query.where(tables.FILE.page_id == params.page_id)
    if params.unused:
        # No query can find unused files, since files are mentioned inside texts.
        keys = list(call.connection.execute(query.with_only_columns(tables.FILE.key)).scalars())
        uses = uses_of(call.connection, keys, sites)
        unused = [key for key in keys if not uses[key].pages and not uses[key].sites]
        query = query.where(one_of(tables.FILE.key, "keys")).params(keys=unused)
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
    """Replace a file by another one wherever pages and sites mention it; answer their ids.

    Drafts, published blocks and additional fields change at once. Unpublished edits stay drafts.
    The old file stays, and nothing uses it any more.
    """
    call.subject = f"file:{params.file_id}"
    query = select(tables.FILE.id, tables.FILE.key, tables.FILE.name)
    rows = call.connection.execute(query.where(tables.FILE.id.in_([params.file_id, params.new_id])))
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
    """Remove files for good, except files that something uses; answer how many were removed.

    A file that the undo of a call may need stays until that call can no longer be undone.
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
