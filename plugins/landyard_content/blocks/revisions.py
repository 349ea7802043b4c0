"""Computes revisions of draft blocks for callers, and finds them again in the page's history.

A revision is the digest of a block's columns and the id of the block in front. Nothing is stored
for it. Equal blocks have equal revisions.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from sqlalchemy import Connection, bindparam, select

from landyard import CallError, Prepared, one_of
from landyard_content.blocks.splices import whole
from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import BLOCK

_MOST_EDITS = 200  # the most edits since a revision that are merged
_DIGEST = 8  # bytes
_WRITTEN = re.compile(r"[0-9a-f]{16}\.([0-9]{1,10})")


Revision = Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]
"""The optional parameter of editing methods; a value that is no revision is a conflict."""


class RevisionConflict(CallError):
    """The same place was changed since the caller's revision.

    `error_data` has the present `revision`, and the former, the present and the caller's value of
    the place as `base`, `theirs` and `yours`.
    """

    code = "REVISION_CONFLICT"
    text = "The same place was changed since this revision; read it again."


class State(Struct, frozen=True):
    """The columns of a draft block that edits change, without its place."""

    content: str
    params: dict[str, Any]
    anchor: str | None = None
    active: bool = True
    deleted: bool = False

    @property
    def digest(self) -> str:
        """The digest of all columns, in hexadecimal digits."""
        written = msgspec.json.encode(self, order="deterministic")
        return blake2b(written, digest_size=_DIGEST).hexdigest()


class Unseen(Struct, frozen=True):
    """The states of a draft block since the caller's revision, first that one, last the present.

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
    """Return the id of the block in front, by a revision; 0 for the first place.

    None without a revision. The digest is not checked, as edits do not move a block. Raises
    `RevisionConflict` for a value that has not the form of a revision.
    """
    if revision is None:
        return None
    found = _WRITTEN.fullmatch(revision) if isinstance(revision, str) else None
    if found is None:
        raise RevisionConflict(
            f"'{str(revision)[:40]}' is no revision of a block; landing.block.getlist with"
            " `get_revision` answers the revisions of blocks."
        )
    return int(found[1])


def look_back(
    connection: Connection,
    page_id: int,
    block_id: int,
    revision: Revision,
    texts: frozenset[str] = frozenset(),
) -> Unseen | None:
    """Return the states of a draft block since a revision; None where it did not change.

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
        passed += [edited] if edited != passed[-1] else []  # a change outside of the history
        passed += [earlier] if earlier != edited else []
        if earlier.digest == digest:
            return passed[::-1]
    raise RevisionConflict(
        f"The revision '{revision[:40]}' is not known: it is of another block, or its history was"
        " removed. Read the block again, and send the change with the new revision."
    )


def _with(state: State, columns: Mapping[str, Any]) -> State:
    """Return a state with the columns in an entry of the history."""
    entry = columns.get("block") or columns
    changed = {name: entry[name] for name in State.__struct_fields__ if name in entry}
    return msgspec.structs.replace(state, **changed) if changed else state
