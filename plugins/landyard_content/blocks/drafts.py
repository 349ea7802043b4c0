"""Opens, saves, lists and counts a page's draft blocks, and enters edits in its history."""

import functools
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, and_, bindparam, func, insert, select, update

from landyard import Call, Prepared, Write, one_of
from landyard_content.blocks.blocktypes import BlockType, catalogue, read_types
from landyard_content.blocks.html_rules import rules_for
from landyard_content.blocks.merging import merge_draft
from landyard_content.blocks.revisions import Revision, Unseen, look_back
from landyard_content.blocks.sizes import require_block, require_grown
from landyard_content.blocks.splices import changed_values
from landyard_content.files.records import use_files
from landyard_html.embeds import without_refused
from landyard_html.policy import POLICY_VERSION, clean_block
from landyard_landing.change_tables import HISTORY
from landyard_landing.errors import BlockNotFound
from landyard_landing.events import announce_edit
from landyard_landing.rights import PageQuery, Right
from landyard_landing.tables import BLOCK, MANIFEST, PAGE

Params = dict[str, dict[str, object]]


class Draft(Struct, frozen=True):
    """A draft block that a call edits; its row is locked until the call ends.

    `digest` is the digest of its manifest, see `read_types`. Where the caller named a revision,
    `content` and `params` are of that revision, and `unseen` has the changes since.
    """

    id: int
    page_id: int
    code: str
    content: str
    params: Params
    digest: str | None
    unseen: Unseen | None = None


class ListedBlock(Struct, frozen=True):
    """A block as lists show it, with its HTML where the caller asked for it.

    `digest` is the digest of its manifest, see `read_types`.
    """

    id: int
    page_id: int
    code: str
    active: bool
    anchor: str | None
    created_by: int
    created_at: datetime
    modified_by: int
    modified_at: datetime
    digest: str | None
    policy: int = POLICY_VERSION
    content: str = ""


_DRAFT = (*(BLOCK[name] for name in Draft.__struct_fields__[:-2]), MANIFEST.digest)
_EDITABLE = and_(BLOCK.public.is_(False), BLOCK.deleted.is_(False))
DRAFTS = (
    select(*_DRAFT)
    .join(MANIFEST.code.table, MANIFEST.code == BLOCK.code, isouter=True)
    .where(_EDITABLE)
)
"""The draft blocks that can be edited, each row the parts of a `Draft`."""
_THIS = DRAFTS.where(BLOCK.id == bindparam("block_id"), BLOCK.page_id == PAGE.id)
_FIND_WITH_PAGE = PageQuery(
    *_DRAFT,
    held=_THIS.with_for_update(of=BLOCK.id.table),
    joined=lambda pages: pages.join(
        BLOCK.id.table,
        and_(BLOCK.id == bindparam("block_id"), BLOCK.page_id == PAGE.id, _EDITABLE),
        isouter=True,
    ).join(MANIFEST.code.table, MANIFEST.code == BLOCK.code, isouter=True),
)
# This update is sent together with _ENTER_EDIT, so its parameters need names of their own.
_SAVED = ("modified_at", "modified_by", "content", "params")
_SAVE_DRAFT = Prepared(
    update(BLOCK.id.table)
    .where(BLOCK.id == bindparam("now_id"))
    .values({name: bindparam(f"now_{name}", type_=BLOCK[name].type) for name in _SAVED})
)
_ENTERED = ("page_id", "block_id", "user_id", "at", "method", "before", "after")
_ENTER_EDIT = Prepared(
    insert(HISTORY.id.table).values(
        undone=False,
        discarded=False,
        **{name: bindparam(name, type_=HISTORY[name].type) for name in _ENTERED},
    )
)
_WANTED = (BLOCK.public == bindparam("public"), BLOCK.deleted == bindparam("deleted"))
_LISTED = (
    select(*(BLOCK[name] for name in ListedBlock.__struct_fields__[:-3]), MANIFEST.digest)
    .join(MANIFEST.code.table, MANIFEST.code == BLOCK.code, isouter=True)
    .where(BLOCK.page_id == bindparam("page_id"), *_WANTED)
    .order_by(BLOCK.sort, BLOCK.id)
    .offset(bindparam("skip"))
    .limit(bindparam("most"))
)
_LIST = Prepared(_LISTED, ListedBlock)
_LIST_WITH_CONTENT = Prepared(_LISTED.add_columns(BLOCK.policy, BLOCK.content), ListedBlock)
_COUNT = Prepared(
    select(BLOCK.page_id, func.count().label("count"))
    .where(one_of(BLOCK.page_id, "page_ids"), *_WANTED)
    .group_by(BLOCK.page_id)
)


def open_draft(
    call: Call, page_id: int, block_id: int, scope: str | None, revision: Revision = None
) -> tuple[Draft, BlockType]:
    """Find a draft block that the caller may edit, and its type.

    The block's row is locked until the call ends, unless the caller may not edit it. With a
    `revision` the draft is the block of that revision, and `save_draft` merges. Raises
    `LandingNotExist`, `BlockNotFound` (B2), `AccessDenied` and `RevisionConflict`, in this order.
    """
    wanted: dict[str, Any] = {"page_id": page_id, "scope": scope, "block_id": block_id}
    page, row = _FIND_WITH_PAGE.find(call, **wanted, hold_for=Right.EDIT)
    if Right.EDIT not in page.rights:  # the block may exist: `BlockNotFound` comes first
        page, row = _FIND_WITH_PAGE.find(call, **wanted)
    if row[0] is None:
        raise BlockNotFound
    page.require(Right.EDIT)
    draft = Draft(*row)
    # Most blocks are of a built-in type, found without a query.
    kind = None if draft.digest else catalogue().get(draft.code)
    if kind is None:
        plugin_types = call.records(BlockType)
        kind = read_types(call.connection, {draft.code: draft.digest}, plugin_types)[draft.code]
    return (draft if revision is None else _at_revision(call, draft, kind, revision)), kind


def _at_revision(call: Call, draft: Draft, kind: BlockType, revision: Revision) -> Draft:
    """Return the draft as of the caller's revision, with the changes since."""
    nodes = kind.manifest.nodes
    texts = frozenset(selector for selector, node in nodes.items() if node.type == "text")
    unseen = look_back(call.connection, draft.page_id, draft.id, revision, texts)
    if unseen is None:
        return draft
    was = unseen.states[0]
    return replace(draft, content=was.content, params=was.params, unseen=unseen)


def save_draft(
    call: Call, draft: Draft, content: str, params: Params, *, history: bool = True
) -> tuple[str, Params]:
    """Write an edited draft, and its entry in the page's history (B14).

    Return the HTML and parameters that were written. An edit of an earlier revision is merged with
    the changes since, or raises `RevisionConflict`. Raises `TooLarge` for a block, or a page, that
    would be larger than the settings allow.
    """
    if draft.unseen is not None:
        content, params = merge_draft(call, draft.unseen, content, params)
        is_now = draft.unseen.states[-1]
        draft = replace(draft, content=is_now.content, params=is_now.params)
    content = without_refused(content, lambda: rules_for(call), draft.content)
    require_block(call, content, params)
    require_grown(call, draft.page_id, len(draft.content), len(content))
    now, user_id, connection = call.now(), call.actor.user_id, call.connection
    if "/files/" in content or params:
        use_files(connection, f"{content}{params}", f"{draft.content}{draft.params}")
    saved = {"now_id": draft.id, "now_modified_at": now, "now_modified_by": user_id}
    writes: list[Write] = [(_SAVE_DRAFT, {**saved, "now_content": content, "now_params": params})]
    if history:
        was = {"content": draft.content, "params": draft.params}
        before, after = changed_values(was, {"content": content, "params": params})
        entry = {"page_id": draft.page_id, "block_id": draft.id, "method": call.method}
        entry |= {"user_id": user_id, "at": now, "before": before, "after": after}
        writes.append((_ENTER_EDIT, entry))
    Prepared.run_together(connection, writes)
    announce_edit(call, draft.page_id, draft.id)
    return content, params


def enter_edit(
    call: Call, page_id: int, block_id: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    """Enter the call's edit of a block in the history of its page (B14)."""
    _ENTER_EDIT.run(
        call.connection,
        page_id=page_id,
        block_id=block_id,
        user_id=call.actor.user_id,
        at=call.now(),
        method=call.method,
        before=before,
        after=after,
    )


def list_blocks(
    connection: Connection,
    page_id: int,
    *,
    public: bool,
    deleted: bool,
    with_content: bool = True,
    offset: int = 0,
    limit: int,
) -> list[ListedBlock]:
    """List blocks of a page by sort, then id (B3, B4), from `offset`, at most `limit`."""
    query = _LIST_WITH_CONTENT if with_content else _LIST
    return query.all(
        connection, page_id=page_id, public=public, deleted=deleted, skip=offset, most=limit
    )


def count_blocks(
    connection: Connection, page_ids: list[int], *, public: bool, deleted: bool
) -> dict[int, int]:
    """Count the blocks that `list_blocks` would list, by page; pages without any are left out."""
    return dict(_COUNT.all(connection, page_ids=page_ids, public=public, deleted=deleted))


def safe_content(content: str, policy: int) -> str:
    """Return a block's HTML, cleaned if it passed an older policy only (H2)."""
    return content if policy == POLICY_VERSION else _cleaned(content)


@functools.lru_cache(maxsize=512)
def _cleaned(content: str) -> str:
    # HTML of an older policy is cleaned once and cached, not at every visit.
    return clean_block(content)
