"""The tags that wait for edges: noted in the transaction of a change, joined, sent, removed."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, exists, func, insert, select, text, update

from landyard import Moment, Prepared, one_of
from landyard_edges.tables import EDGE, TAG
from landyard_public.edge_tags import EVERYTHING, site_tag

AGAIN = timedelta(seconds=0.5)
"""The time after which a tag is sent once more.

A request that was under way at the time of the change may have brought an edge the old page.
"""
MOST_PAGES = 20
"""The most pages of a site that are sent by their own tags; beyond it the site's tag is sent."""
MOST_REQUESTS = 10
"""The most requests for what waits at once; beyond it everything is purged."""
_TOGETHER = 5000  # rows read at once
_KEPT = timedelta(days=1)
_LONGEST = timedelta(minutes=10)  # until the next request, at most


class Tag(Struct, frozen=True):
    """A tag; `site_id` is the site of a page's tag, and 0 for other tags."""

    name: str
    site_id: int = 0


def whole_site(site_id: int) -> Tag:
    """Return the tag of all pages of a site."""
    return Tag(site_tag(site_id))


class Batch(Struct, frozen=True):
    """The tags of one request; `first` are the ids of rows never sent, `again` those sent once."""

    tags: Sequence[str]
    first: Sequence[int]
    again: Sequence[int]


class _Row(Struct, frozen=True):
    id: int
    tag: str
    site_id: int
    again: bool


_ADD = Prepared(insert(TAG.id.table))
_NOW = bindparam("now", type_=Moment)
_MOMENTS = [_NOW, *(bindparam(name, type_=Moment) for name in ("next", "at"))]
# An edge's row is made by its first request, or by the first plan.
_CLAIM = Prepared(
    text(
        "INSERT INTO edges_edge (name, next_at, planned_at, error)"
        " VALUES (:edge, :next, :now, '')"
        " ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at"
        " WHERE edges_edge.next_at <= :now RETURNING name"
    )
    .bindparams(*_MOMENTS[:2])
    .columns(EDGE.name)
)
_PLAN = Prepared(
    text(
        "INSERT INTO edges_edge (name, next_at, planned_at, error)"
        " VALUES (:edge, :now, :at, '')"
        " ON CONFLICT (name) DO UPDATE SET planned_at = excluded.planned_at"
        " WHERE edges_edge.planned_at <= :now OR edges_edge.planned_at > :at RETURNING name"
    )
    .bindparams(_NOW, _MOMENTS[2])
    .columns(EDGE.name)
)
_NAMED = EDGE.name == bindparam("edge")
_DUE = Prepared(
    select(TAG.id, TAG.tag, TAG.site_id, TAG.again)
    .where(TAG.edge == bindparam("edge"), TAG.due_at <= _NOW)
    .order_by(TAG.id)
    .limit(_TOGETHER),
    _Row,
)
_IDS = one_of(TAG.id, "ids")
_SENT = Prepared(
    update(TAG.id.table).where(_IDS).values(again=True, due_at=bindparam("due", type_=Moment))
)
_FORGOTTEN = Prepared(delete(TAG.id.table).where(_IDS))
_NEXT = Prepared(
    select(func.min(TAG.due_at), func.max(EDGE.next_at))
    .outerjoin(EDGE.name.table, EDGE.name == TAG.edge)
    .where(TAG.edge == bindparam("edge"))
)
_WAITS = select(
    TAG.edge, func.count().label("tags"), func.min(TAG.due_at).label("oldest")
).group_by(TAG.edge)
_FAILING = Prepared(select(EDGE.name).where(_NAMED, EDGE.failing_since.is_not(None)))
_SUCCEEDED = Prepared(
    update(EDGE.name.table).where(_NAMED).values(succeeded_at=_NOW, failing_since=None, error="")
)
_FAILED = Prepared(
    update(EDGE.name.table)
    .where(_NAMED)
    .values(
        failing_since=func.coalesce(EDGE.failing_since, _NOW),
        error=bindparam("reason"),
        next_at=bindparam("next", type_=Moment),
    )
)


def add(connection: Connection, edges: Iterable[str], tags: Sequence[Tag], now: datetime) -> None:
    """Note tags for each edge."""
    for edge in edges:
        for tag in tags:
            _ADD.run(
                connection, edge=edge, tag=tag.name, site_id=tag.site_id, due_at=now, again=False
            )


def sweep(connection: Connection, edges: Sequence[str], now: datetime) -> None:
    """Remove what has waited for a day for edges that the settings no longer name.

    Moments that a clock ahead has set are set to now.
    """
    old = (TAG.edge.not_in(edges), TAG.due_at < now - _KEPT)
    connection.execute(delete(TAG.id.table).where(*old))
    waits = exists().where(TAG.edge == EDGE.name)
    connection.execute(delete(EDGE.name.table).where(EDGE.name.not_in(edges), ~waits))
    for moment in (TAG.due_at, EDGE.next_at, EDGE.planned_at):
        ahead = update(moment.table).where(moment > now + _LONGEST + Moment.clocks_differ)
        connection.execute(ahead.values({moment.name: now}))


def claim(
    connection: Connection, edge: str, most: int, now: datetime, pause: timedelta
) -> Batch | None:
    """Take the tags of one request to an edge, and note that the next may follow after `pause`.

    None where nothing is due, or where it is too early for a request.
    """
    rows = _DUE.all(connection, edge=edge, now=now)
    if not rows or not _CLAIM.all(connection, edge=edge, now=now, next=now + pause):
        return None
    return joined(rows, most)


def joined(rows: Sequence[_Row], most: int) -> Batch:
    """Join the tags of rows into one request, of at most `most` tags.

    Many pages of a site become the site's tag, and what would take many requests everything's tag.
    """
    pages: dict[int, set[str]] = {}
    for row in rows:
        if row.site_id:
            pages.setdefault(row.site_id, set()).add(row.tag)
    whole = {site_id for site_id, tags in pages.items() if len(tags) > MOST_PAGES}
    by_tag: dict[str, list[_Row]] = {}
    for row in rows:
        tag = whole_site(row.site_id).name if row.site_id in whole else row.tag
        by_tag.setdefault(tag, []).append(row)
    if len(by_tag) > MOST_REQUESTS * most:
        by_tag = {EVERYTHING: list(rows)}
    tags = list(by_tag)[:most]
    taken = [row for tag in tags for row in by_tag[tag]]
    return Batch(
        tags,
        first=[row.id for row in taken if not row.again],
        again=[row.id for row in taken if row.again],
    )


def succeed(connection: Connection, edge: str, batch: Batch, now: datetime) -> bool:
    """Remove the rows of a batch that was sent; those sent for the first time wait for `AGAIN`.

    Return whether the edge had failed before.
    """
    failed = _FAILING.first(connection, edge=edge) is not None
    if batch.again:
        _FORGOTTEN.run(connection, ids=list(batch.again))
    if batch.first:
        _SENT.run(connection, ids=list(batch.first), due=now + AGAIN)
    _SUCCEEDED.run(connection, edge=edge, now=now)
    return failed


def fail(connection: Connection, edge: str, reason: str, now: datetime, pause: timedelta) -> None:
    """Note why an edge did not take a request, and that none is sent before `pause` is over."""
    _FAILED.run(connection, edge=edge, now=now, reason=reason, next=now + pause)


def next_request(connection: Connection, edge: str) -> datetime | None:
    """Return when the next request to an edge may be sent; None if no tag waits for it."""
    due: datetime | None
    free: datetime | None
    ((due, free),) = _NEXT.all(connection, edge=edge)
    return None if due is None else max(due, free or due)


def plan(connection: Connection, edge: str, at: datetime, now: datetime) -> bool:
    """Note that a task looks at an edge at a moment; False if one does so by then already."""
    return bool(_PLAN.all(connection, edge=edge, now=now, at=at))


class Listed(Struct, frozen=True):
    """An edge's state for operators; `waiting` is the number of tags that it has to forget."""

    name: str
    last_success: datetime | None
    failing_since: datetime | None
    error: str
    waiting: int
    oldest: datetime | None


_UNTOLD = (None, None, "")


def list_edges(connection: Connection, names: Iterable[str]) -> list[Listed]:
    """List the edges of these names, and those for which something waits still."""
    states = {row.name: row for row in connection.execute(select(*EDGE))}
    waits = {row.edge: row for row in connection.execute(_WAITS)}
    listed = []
    for name in sorted({*names, *waits}):
        state, waiting = states.get(name), waits.get(name)
        told = (state.succeeded_at, state.failing_since, state.error) if state else _UNTOLD
        left = (waiting.tags, waiting.oldest) if waiting else (0, None)
        listed.append(Listed(name, *told, *left))
    return listed
