"""Blocks: drafts to edit, and lists of them to read."""

import functools
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select, update

from landyard import Call
from landyard_landing.errors import BlockNotFound
from landyard_landing.files import use_files
from landyard_landing.history import DRAFTS, Draft, Params, record
from landyard_landing.pages import SeenPage
from landyard_landing.policy import POLICY_VERSION, clean_block
from landyard_landing.rights import Right
from landyard_landing.tables import Block, ManifestRow

_BLOCK = Block.__table__.c  # type: ignore[attr-defined]
_TYPE = ManifestRow.__table__.c  # type: ignore[attr-defined]


class ListedBlock(Struct, frozen=True):
    """A block as lists show it; `digest` is its manifest's, see `read_types`."""

    id: int
    page_id: int
    code: str
    active: bool
    anchor: str | None
    created_by: int
    created_at: datetime
    modified_by: int
    modified_at: datetime
    content: str
    policy: int
    digest: str | None


# Statements are built once: building one costs more than running it.
_FIND_DRAFT = DRAFTS.where(
    _BLOCK.id == bindparam("block_id"), _BLOCK.page_id == bindparam("page_id")
)
_LOCK_DRAFT = _FIND_DRAFT.with_for_update(of=_BLOCK.id.table)
_SAVE_DRAFT = (
    update(_BLOCK.id.table)
    .where(_BLOCK.id == bindparam("block_id"))
    .values({name: bindparam(name) for name in ("content", "params", "modified_at", "modified_by")})
)
_STORED_DRAFT = select(_BLOCK.content, _BLOCK.params).where(_BLOCK.id == bindparam("block_id"))
_WANTED = (_BLOCK.public == bindparam("public"), _BLOCK.deleted == bindparam("deleted"))
_LIST = (
    select(*(_BLOCK[name] for name in ListedBlock.__struct_fields__[:-1]), _TYPE.digest)
    .join(_TYPE.code.table, _TYPE.code == _BLOCK.code, isouter=True)
    .where(_BLOCK.page_id == bindparam("page_id"), *_WANTED)
    .order_by(_BLOCK.sort, _BLOCK.id)
    .offset(bindparam("skip"))
    .limit(bindparam("most"))
)
_COUNT = (
    select(_BLOCK.page_id, func.count().label("count"))
    .where(_BLOCK.page_id.in_(bindparam("page_ids", expanding=True)), *_WANTED)
    .group_by(_BLOCK.page_id)
)


def find_draft(call: Call, page: SeenPage, block_id: int) -> Draft:
    """Find a draft block of the page; raises `BlockNotFound` (B2).

    The row is locked until the call ends, for callers who may edit it: whoever may not must not
    keep others waiting.
    """
    query = _LOCK_DRAFT if Right.EDIT in page.rights else _FIND_DRAFT
    row = call.connection.execute(query, {"page_id": page.id, "block_id": block_id}).first()
    if row is None:
        raise BlockNotFound
    return Draft(*row)  # type: ignore[call-arg]  # mypy takes the row for one value


def save_draft(
    call: Call, draft: Draft, content: str, params: Params, *, history: bool = True
) -> None:
    """Write an edited draft, and its entry in the page's history (B14)."""
    now = call.now()
    use_files(call.connection, f"{content}{params}", f"{draft.content}{draft.params}")
    call.connection.execute(
        _SAVE_DRAFT,
        {
            "block_id": draft.id,
            "content": content,
            "params": params,
            "modified_at": now,
            "modified_by": call.actor.user_id,
        },
    )
    if history:
        record(call, draft, {"content": content, "params": params}, now)


def stored_draft(call: Call, block_id: int) -> tuple[str, Params]:
    """Read back what is stored of a draft: its HTML and parameters (B15)."""
    row = call.connection.execute(_STORED_DRAFT, {"block_id": block_id}).one()
    return row.content, row.params


def list_blocks(
    connection: Connection,
    page_id: int,
    *,
    public: bool,
    deleted: bool,
    offset: int = 0,
    limit: int,
) -> list[ListedBlock]:
    """List blocks of a page by sort, then id (B3, B4), from `offset`, at most `limit`."""
    named = {"page_id": page_id, "public": public, "deleted": deleted}
    rows = connection.execute(_LIST, {**named, "skip": offset, "most": limit})
    return [ListedBlock(*row) for row in rows]  # type: ignore[call-arg]  # as above


def count_blocks(
    connection: Connection, page_ids: list[int], *, public: bool, deleted: bool
) -> dict[int, int]:
    """Count the blocks that `list_blocks` would list, by page; pages without any are left out."""
    named = {"page_ids": page_ids, "public": public, "deleted": deleted}
    return {page_id: count for page_id, count in connection.execute(_COUNT, named)}  # noqa: C416 - rows are no pairs to mypy


def safe_content(content: str, policy: int) -> str:
    """Return a block's HTML as the present policy has it (H2); free where it went through."""
    return content if policy == POLICY_VERSION else _cleaned(content)


@functools.lru_cache(maxsize=512)
def _cleaned(content: str) -> str:
    # What an older policy let through is cleaned once and kept, not at every visit.
    return clean_block(content)
