"""Revisions of draft blocks: what a block was when a caller saw it, found again in the history.

A revision is a digest of what the block was, and the block it stood behind: nothing is stored for
it, and two that are alike are the same revision.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from sqlalchemy import Connection, bindparam, select

from landyard import CallError, Prepared, one_of
from landyard_landing.blocks.history import whole
from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import BLOCK

_MOST_EDITS = 200  # between a revision and now that are merged
_DIGEST = 8  # bytes
_WRITTEN = re.compile(r"[0-9a-f]{16}\.([0-9]{1,10})")


Revision = Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]
"""The optional parameter of methods that edit; what is no revision is a conflict, not left out."""


class RevisionConflict(CallError):
    """Its `error_data` is the `revision` there is now, and what there was, is, and was wanted."""

    code = "REVISION_CONFLICT"
    text = "It was changed since this revision, in the same place; read it again."


class State(Struct, frozen=True):
    """What a draft block is, wherever it stands: what edits change of it."""

    content: str
    params: dict[str, Any]
    anchor: str | None = None
    active: bool = True
    deleted: bool = False

    @property
    def digest(self) -> str:
        """What tells it from any other."""
        written = msgspec.json.encode(self, order="deterministic")
        return blake2b(written, digest_size=_DIGEST).hexdigest()


class Unseen(Struct, frozen=True):
    """What a draft block has been since a caller saw it: the first is that, the last is now.

    `texts` are the selectors of its text nodes.
    """

    page_id: int
    block_id: int
    states: tuple[State, ...]
    texts: frozenset[str] = frozenset()


_PARTS = tuple(BLOCK[name] for name in State.__struct_fields__)
_STATE = Prepared(select(*_PARTS).where(BLOCK.id == bindparam("block_id")).with_for_update(), State)
_DRAFTS = Prepared(
    select(BLOCK.page_id, BLOCK.id, *_PARTS)
    .where(one_of(BLOCK.page_id, "page_ids"), BLOCK.public.is_(False))
    .order_by(BLOCK.page_id, BLOCK.sort, BLOCK.id)
)
_EDITS = Prepared(
    select(HISTORY.before, HISTORY.after, HISTORY.undone)
    .where(HISTORY.page_id == bindparam("page_id"), HISTORY.block_id == bindparam("block_id"))
    .order_by(HISTORY.id.desc())
    .limit(_MOST_EDITS)
)


def read_revisions(connection: Connection, page_ids: Iterable[int]) -> dict[int, str]:
    """Read the revisions of all draft blocks of pages, by the blocks' ids."""
    found: dict[int, str] = {}
    before = (0, 0)
    for page_id, block_id, *parts in _DRAFTS.all(connection, page_ids=list(page_ids)):
        behind = before[1] if before[0] == page_id else 0
        found[block_id] = f"{State(*parts).digest}.{behind}"
        before = (page_id, block_id)
    return found


def stood_behind(revision: Revision) -> int | None:
    """Return the block that a block stood behind, 0 for the first; None without a revision.

    What the block was is not asked: its edits do not move it. Raises `RevisionConflict` for what is
    no revision of any block.
    """
    if revision is None:
        return None
    found = _WRITTEN.fullmatch(revision) if isinstance(revision, str) else None
    if found is None:
        raise RevisionConflict(
            f"'{str(revision)[:40]}' is no revision of a block; landing.block.getlist with"
            " `get_revision` answers it."
        )
    return int(found[1])


def look_back(
    connection: Connection,
    page_id: int,
    block_id: int,
    revision: Revision,
    texts: frozenset[str] = frozenset(),
) -> Unseen | None:
    """Say what a draft block has been since a revision, None where it is that still.

    Raises `RevisionConflict` where the history has no such revision.
    """
    now = _STATE.first(connection, block_id=block_id)
    assert now is not None
    states = _states_since(connection, page_id, block_id, now, str(revision))
    return Unseen(page_id, block_id, tuple(states), texts) if len(states) > 1 else None


def _states_since(
    connection: Connection, page_id: int, block_id: int, now: State, revision: str
) -> Sequence[State]:
    digest = revision.partition(".")[0]
    passed = [now]
    if now.digest == digest:
        return passed
    for before, after, undone in _EDITS.all(connection, page_id=page_id, block_id=block_id):
        edited = _with(passed[-1], whole(before, after))
        if edited.digest == digest:
            return [edited, *reversed(passed)]
        if undone:
            continue
        earlier = _with(edited, before)
        passed += [edited] if edited != passed[-1] else []  # what the history does not tell
        passed += [earlier] if earlier != edited else []
        if earlier.digest == digest:
            return passed[::-1]
    raise RevisionConflict(
        f"The revision '{revision[:40]}' is not known: it is none of this block's, or its history"
        " is gone. Read the block again, and send the change with its revision of now."
    )


def _with(state: State, columns: Mapping[str, Any]) -> State:
    """Return a state with what an entry of the history has of it."""
    told = columns.get("block") or columns
    known = {name: told[name] for name in State.__struct_fields__ if name in told}
    return msgspec.structs.replace(state, **known) if known else state
