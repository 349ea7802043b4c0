"""Selections: how list methods read `params`, and run them over the fields they declare.

`params` is `{select, filter, order, group, limit, offset}`, as the platform's ORM takes it. What a
caller sends is never part of a statement's text: that is made of declared fields alone.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    JSON,
    ColumnElement,
    Select,
    String,
    bindparam,
    func,
    select,
)

from landyard import Call, Paged, Prepared, Settings, WrongType
from landyard_landing.blocks.settings import BlockSettings
from landyard_landing.lengths import total_length
from landyard_landing.sites.conditions import (
    Condition,
    kind_of,
    names_of,
    read_conditions,
    written,
)
from landyard_landing.sites.dates import second_of, write_moment

MOST = 5000
"""Rows in an answer; where more remain the envelope says where to go on."""
_FARTHEST = 2**31 - 1 - MOST  # what a database takes as an offset
_KEPT = 256  # statements of one selection
_DESCENDING = {"ASC": False, "DESC": True, "": False}

Row = dict[str, str | None]
"""A row of a list as it is answered: a text, or null, by field."""


class Selecting(Struct, frozen=True):
    """`select`: fields, none or `*` for all; `filter`: values by field; `order`: ASC or DESC.

    Before a field in the filter may stand `!`, `=`, `<`, `>`, `<=`, `>=`, `><`, `%`, `?` and `@`.
    `group`: fields whose values are told once each, with `select` those of both together.
    `limit`, `offset`: the part of the list.
    """

    select: list[str] = []
    filter: dict[str, Any] = {}
    order: dict[str, str] = {}
    group: list[str] = []
    limit: int = 0
    offset: int = 0


class _Shape(Struct, frozen=True):
    """What a statement's text depends on."""

    names: tuple[str, ...]
    conditions: tuple[Condition, ...]
    order: tuple[tuple[str, bool], ...]
    grouped: bool


class Selection:
    """A list's fields by their names on the wire, and the rows they are read from."""

    def __init__(
        self,
        rows: Select[Any],
        fields: Mapping[str, ColumnElement[Any]],
        *,
        always: Collection[str] = (),
        hidden: Collection[str] = (),
        objects: Mapping[str, ColumnElement[Any]] | None = None,
        filters: Mapping[str, ColumnElement[Any]] | None = None,
        usual: Mapping[str, Any] | None = None,
    ) -> None:
        """Read `fields` of the query `rows`, which says by its conditions who sees which.

        Columns tell by their types what they hold: texts, integers, flags, dates. `always` are
        fields that are told whatever is selected, `hidden` those that only the method asks for.
        `objects` are fields that are told as they are stored, and neither filtered, ordered nor
        grouped by; `filters` are filtered by alone. `usual` is the filter of each field that the
        caller's says nothing of. The first field is the row's id.
        """
        self._rows = rows
        self.fields = {**fields, **(objects or {}), **(filters or {})}
        self._compared = {name: each for name, each in fields.items() if name not in hidden}
        self._filtered = {**self._compared, **(filters or {})}
        self._offered = {**self._compared, **(objects or {})}
        self._always = tuple(always)
        self._usual = usual or {}
        self._id = next(iter(fields))
        self._statement = functools.lru_cache(maxsize=_KEPT)(self._prepare)
        self._length = functools.lru_cache(maxsize=_KEPT)(self._prepare_length)
        self._count = functools.lru_cache(maxsize=_KEPT)(self._prepare_count)

    def read(
        self,
        call: Call,
        sent: Selecting,
        *,
        also: Iterable[str] = (),
        **values: Any,
    ) -> Paged[Any]:
        """Run what was sent, with `values` for the parameters of the rows' own conditions.

        Rows are of the type `Row`, but for objects: scalars are answered as texts, flags as Y or
        N, dates as B6 has them, an empty reference is null. `also` are fields that the method
        itself needs. A selected or ordering field that there is not is passed over with a warning;
        raises `WrongType` for one in the filter, which would otherwise answer more than was asked
        for.
        """
        zone = call.settings(Settings).zone
        names = self._names(call, sent, also)
        filters = read_conditions(self._filter(sent.filter), self._filtered, zone, "params.filter")
        order = self._order(call, sent, names)
        conditions = tuple(condition for condition, _ in filters)
        shape = _Shape(names, conditions, order, bool(sent.group))
        for place, (condition, given) in enumerate(filters):
            values |= zip(names_of(place, condition), given, strict=True)
        return self._page(call, shape, sent, values, zone)

    def _page(
        self, call: Call, shape: _Shape, sent: Selecting, values: dict[str, Any], zone: tzinfo
    ) -> Paged[Any]:
        offset = min(max(0, sent.offset), _FARTHEST)
        limit = MOST if sent.limit <= 0 else min(sent.limit, MOST)
        shown = self._fitting(call, shape, {**values, "skip": offset}, limit)
        bounds = {"most": shown + 1, "skip": offset}
        found = self._statement(shape).all(call.connection, **values, **bounds)
        rows = _on_the_wire(found[:shown], shape.names, self.fields, zone)
        if len(found) <= shown or sent.limit == shown:
            return Paged(rows)
        (total,) = self._count(shape).all(call.connection, **values)
        return Paged(rows, offset + shown, total)

    def _fitting(self, call: Call, shape: _Shape, values: Mapping[str, Any], limit: int) -> int:
        """Return how many rows are read: not more than one answer may have characters (B18)."""
        most = call.settings(BlockSettings).answer_characters
        while limit > 1 and self._length(shape).all(call.connection, most=limit, **values) > [most]:
            limit //= 2
        return limit

    def _names(self, call: Call, sent: Selecting, also: Iterable[str]) -> tuple[str, ...]:
        wanted = [*sent.select, *sent.group] or ["*"]
        offered = self._compared if sent.group else self._offered
        if unknown := [name for name in wanted if name != "*" and name not in offered]:
            call.warn(f"fields that are not known were passed over: {', '.join(unknown)[:200]}")
        known = [*offered] if "*" in wanted else [name for name in wanted if name in offered]
        if not sent.group:
            known += [*self._always, *also]
        elif sent.select:
            known += self._always
        return tuple(dict.fromkeys(known)) or (self._id,)

    def _filter(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        said = {key.lstrip("!=<>%?@") for key in sent}
        usual = {key: value for key, value in self._usual.items() if key not in said}
        return {**sent, **usual}

    def _order(
        self, call: Call, sent: Selecting, names: Collection[str]
    ) -> tuple[tuple[str, bool], ...]:
        found: dict[str, bool] = {}
        for name, way in sent.order.items():
            if name not in self._compared or (sent.group and name not in names):
                call.warn(f"'{name[:80]}' is no field to order by")
                continue
            if way.upper() not in _DESCENDING:
                raise WrongType.of(f"params.order.{name}", "ASC or DESC", way)
            found[name] = _DESCENDING[way.upper()]
        if not sent.group:
            found.setdefault(self._id, False)  # the same order each time
        return tuple(found.items())

    def _prepare(self, shape: _Shape) -> Prepared[Any]:
        return Prepared(self._ordered_rows(shape))

    def _ordered_rows(self, shape: _Shape) -> Select[Any]:
        column = self._once if shape.grouped else self.fields.__getitem__
        order = [_ordered(column(name), descending) for name, descending in shape.order]
        query = self._chosen(shape).order_by(*order)
        return query.offset(bindparam("skip")).limit(bindparam("most"))

    def _prepare_count(self, shape: _Shape) -> Prepared[int]:
        return Prepared(select(func.count()).select_from(self._chosen(shape).subquery()), int)

    def _prepare_length(self, shape: _Shape) -> Prepared[int]:
        rows = self._ordered_rows(shape).subquery()
        texts = [each for each in rows.c if isinstance(each.type, (String, JSON))]
        return Prepared(select(total_length(texts)).select_from(rows), int)

    def _chosen(self, shape: _Shape) -> Select[Any]:
        column = self._once if shape.grouped else self.fields.__getitem__
        columns = [column(name).label(name) for name in shape.names]
        query = self._rows.with_only_columns(*columns, maintain_column_froms=True).where(
            *(
                written(place, condition, self.fields[condition.field])
                for place, condition in enumerate(shape.conditions)
            )
        )
        return query.distinct() if shape.grouped else query

    def _once(self, name: str) -> ColumnElement[Any]:
        """Return a column that has one value for each that is answered."""
        column = self.fields[name]
        return second_of(column) if kind_of(column) == "date" else column


def _ordered(column: ColumnElement[Any], descending: bool) -> ColumnElement[Any]:
    """Order by a column; databases do not agree on where to put what is empty."""
    way = column.desc() if descending else column.asc()
    if not getattr(column, "nullable", True):
        return way
    return way.nulls_last() if descending else way.nulls_first()


def _on_the_wire(
    rows: Sequence[Any],
    names: Sequence[str],
    fields: Mapping[str, ColumnElement[Any]],
    zone: tzinfo,
) -> list[dict[str, Any]]:
    write: dict[str, Callable[[Any], Any]] = {
        "text": str,
        "integer": str,
        "flag": lambda value: "Y" if value else "N",
        "date": lambda value: write_moment(value, zone),
        "object": lambda value: value,
    }
    columns = [(name, write[kind_of(fields[name])]) for name in names]
    return [
        {
            name: None if value is None else said(value)
            for (name, said), value in zip(columns, row, strict=True)
        }
        for row in rows
    ]
