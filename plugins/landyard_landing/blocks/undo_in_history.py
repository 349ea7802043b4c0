"""Undo in the history: the entries of a page stay true while calls by their ids are undone.

The entries of calls that are undone go, and those of calls that count again come back. Where later
ones would not be true any more, all entries stay, and new ones say what the undo has done.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from msgspec.structs import asdict
from sqlalchemy import bindparam, or_, select, update

from landyard import Call, Prepared, one_of
from landyard_landing.blocks.changes import BlockParts
from landyard_landing.blocks.drafts import ENTER_EDIT, spliced
from landyard_landing.blocks.history import Edit, lock_page
from landyard_landing.blocks.order import index_of, make_room, read_order
from landyard_landing.blocks.rehearsal import MOST, Draft, History, behind, read_draft
from landyard_landing.blocks.restoring import HistoryConflict
from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import BLOCK

_NONE = 2**31 - 1  # no entry has so high an id
_TOLD = [name for name in BlockParts.__struct_fields__ if name not in ("code", "policy")]
_LATER = Prepared(
    select(HISTORY.id).where(
        HISTORY.page_id == bindparam("page_id"),
        or_(one_of(HISTORY.id, "ids"), HISTORY.id > bindparam("first")),
        HISTORY.discarded.is_(False),
    ),
    int,
)
_PUT = Prepared(
    update(BLOCK.id.table).where(BLOCK.id == bindparam("block_id")).values(sort=bindparam("to"))
)


class Undone(Protocol):
    """A row that is written to take a call back, as it is and as it will be; None for no row.

    `merged` where what was changed since stays in it.
    """

    @property
    def table(self) -> str: ...
    @property
    def now(self) -> Mapping[str, Any] | None: ...
    @property
    def then(self) -> Mapping[str, Any] | None: ...
    @property
    def merged(self) -> bool: ...


Write = Callable[[Sequence[Undone]], None]


def agree(call: Call, rows: Sequence[Undone], changed: Sequence[int]) -> Callable[[Write], None]:
    """Look at histories before calls are undone; what is returned writes them when the rest is.

    `changed` are the ids of the entries that these calls, or others since, have made or changed.
    """
    entries: dict[int, list[Undone]] = {}
    merged, placed = set(), set()
    for each in rows:
        sides = [row for row in (each.now, each.then) if row is not None]
        if each.table == HISTORY.id.table.name:
            entries.setdefault(sides[0]["page_id"], []).append(each)
        elif each.table == BLOCK.id.table.name and not sides[0]["public"]:
            for row in sides:  # it may go to another page
                entries.setdefault(row["page_id"], [])
                merged |= {row["page_id"]} if each.merged else set()
                placed |= {row["page_id"]} if _is_placed(each) else set()
    pages = []
    for page_id, of_page in sorted(entries.items()):
        # Where nobody else has an entry since, what was done last is what is undone. By their ids
        # those count too that were made while nothing was noted.
        own = {each.now["id"] for each in of_page if each.now is not None}
        since = {"ids": changed, "first": min(own, default=_NONE)}
        later = _LATER.all(call.connection, page_id=page_id, **since)
        plain = own.issuperset(later) and page_id not in merged
        pages.append(_Page(call, page_id, of_page, plain=plain, placed=page_id in placed))

    def finish(write: Write) -> None:
        for page in pages:
            page.write(write)

    return finish


class _Page:
    """The history of a page, of which calls that are undone have entries, or edits."""

    def __init__(
        self, call: Call, page_id: int, rows: Sequence[Undone], *, plain: bool, placed: bool
    ) -> None:
        self._call, self._page_id, self._rows = call, page_id, rows
        self._orders = placed
        self._was: list[int] = []
        self._placed: list[int] = []
        self._is_plain = plain
        if not plain:
            lock_page(call.connection, page_id)  # as who undoes in the history
            history = History(call.connection, page_id)
            self._draft, self._end = history.draft, self._tried(history)
            if placed:
                self._look_back(history)

    def write(self, write: Write) -> None:
        """Write the entries as they were, if all would be true; else say what was done."""
        if self._is_plain:
            write(self._rows)
            return
        for block_id in self._placed:
            self._put(block_id)
        draft = read_draft(self._call.connection, self._page_id)
        point = self._call.connection.begin_nested()
        write(self._rows)
        now_there = History(self._call.connection, self._page_id)
        if all(now <= then for now, then in zip(self._tried(now_there), self._end, strict=True)):
            point.commit()
            return
        point.rollback()
        for block_id, before, after in _told(self._draft, draft):
            self._enter(block_id, before, after)

    def _look_back(self, history: History) -> None:
        """See which blocks the entries that go have moved or removed, and the order before them."""
        ids = {each.now["id"] for each in self._rows if each.now is not None and each.then is None}
        placed, rehearsal = [], history.rehearse()
        with suppress(HistoryConflict):  # then nobody knows the order
            for _ in range(MOST if ids else 0):
                edit = rehearsal.undo()
                if edit is None:
                    break
                if edit.id in ids and "after" in edit.before:
                    placed.append(edit.block_id)
                ids.discard(edit.id)
                if not ids:
                    self._was, self._placed = rehearsal.order, placed
                    break

    def _put(self, block_id: int) -> None:
        """Put a block between those it stood between: they may have other sorts by now."""
        connection = self._call.connection
        order = read_order(connection, self._page_id)
        here = index_of(order, block_id)
        if here is None or block_id not in self._was:
            return
        ids, at = [each.id for each in order], self._was.index(block_id)
        before = next((ids.index(each) for each in reversed(self._was[:at]) if each in ids), -1)
        behind = next((ids.index(each) for each in self._was[at + 1 :] if each in ids), len(ids))
        if not before < here < behind:
            del order[here]
            sort = make_room(connection, order, before + (before < here))
            _PUT.run(connection, block_id=block_id, to=sort)

    def _tried(self, history: History) -> tuple[int, bool, bool]:
        """Tell which edit cannot be taken back, 0 for none, and whether one cannot be redone.

        And whether blocks are elsewhere where all is taken back and brought again.
        """
        is_elsewhere = False
        back = history.rehearse()
        done, is_whole = _go(back.undo)
        last = back.last
        if self._orders:
            _go(back.redo, done)
            is_elsewhere = back.order != [*history.draft]
        _, is_redone = _go(history.rehearse().redo)
        return 0 if is_whole else last, not is_redone, is_elsewhere

    def _enter(self, block_id: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        ENTER_EDIT.run(
            self._call.connection,
            page_id=self._page_id,
            block_id=block_id,
            user_id=self._call.actor.user_id,
            at=self._call.now(),
            method=self._call.method,
            before=before,
            after=spliced(before, after) if "content" in before else after,
        )


def _go(step: Callable[[], Edit | None], most: int = MOST) -> tuple[int, bool]:
    """Go back or on in the history; tell by how many steps, and whether none is in the way."""
    done = 0
    try:
        while done < most and step():
            done += 1
    except HistoryConflict:
        return done, False
    return done, True


def _is_placed(block: Undone) -> bool:
    """Tell whether a block has another place then, or is there only now or then."""
    now, then = block.now, block.then
    return now is None or then is None or now["sort"] != then["sort"]


_Told = tuple[int, dict[str, Any], dict[str, Any]]
"""What an entry says: the block, and what of it was before and after."""


def _told(draft: Draft, then: Draft) -> Iterator[_Told]:
    """Tell by entries how one draft becomes another."""
    order, wanted = list(draft), list(then)
    for block_id in draft.keys() - then.keys():
        whole = {"block": asdict(draft[block_id]), "after": behind(order, block_id)}
        yield block_id, whole, {"block": None}
        order.remove(block_id)
    for block_id, *sides in _moved(order, [each for each in wanted if each in draft]):
        before, after = (side | _marked(draft[block_id]) for side in sides)
        yield block_id, before, after
    for index, block_id in enumerate(wanted):
        if block_id in draft:
            old, new = asdict(draft[block_id]), asdict(then[block_id])
            changed = [name for name in _TOLD if old[name] != new[name]]
            if changed:
                before = {name: old[name] for name in changed} | _marked(draft[block_id])
                after = {name: new[name] for name in changed} | _marked(then[block_id])
                yield block_id, before, after
        else:
            order.insert(index, block_id)
            whole = {"block": asdict(then[block_id]), "after": behind(order, block_id)}
            yield block_id, {"block": None}, whole


def _marked(block: BlockParts) -> dict[str, Any]:
    """Say of a block that is marked as deleted that it is: else it counts as gone."""
    return {"deleted": True} if block.deleted else {}


def _moved(order: list[int], wanted: list[int]) -> Iterator[_Told]:
    """Tell which blocks are moved, one if that is enough, and move them in the order."""
    others = {each: [one for one in wanted if one != each] for each in wanted}
    alone = next(
        (one for one in wanted if [each for each in order if each != one] == others[one]), 0
    )
    for index, block_id in enumerate(wanted):
        if order[index] != block_id and alone in (0, block_id):
            before = {"after": behind(order, block_id)}
            order.remove(block_id)
            order.insert(index, block_id)
            yield block_id, before, {"after": behind(order, block_id)}
