"""Runs a list method's `params` (select, filter, order, group, limit, offset) over its fields.

`params` has the form of the platform's ORM. A statement's text is made of declared fields alone;
values that a caller sends are parameters.
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
from sqlmodel import AutoString

from landyard import Call, Paged, Prepared, Settings, WrongType
from landyard_landing.lengths import total_length
from landyard_landing.settings import BlockSettings
from landyard_landing.sites.dates import Dates, second_of
from landyard_landing.sites.filters import Condition, kind_of, names_of, read_conditions, written

MOST = 5000
"""The most rows in an answer; where more remain, the envelope has the next offset."""
_FARTHEST = 2**31 - 1 - MOST  # the largest offset that a database accepts
_KEPT = 256  # cached statements of one selection
_DESCENDING = {"ASC": False, "DESC": True, "": False}

Row = dict[str, str | None]
"""A row of a list in an answer: a text or null by field."""


class Selecting(Struct, frozen=True):
    """`select`: fields, none or `*` for all; `filter`: values by field; `order`: ASC or DESC.

    A field in the filter may have a prefix: `!`, `=`, `<`, `>`, `<=`, `>=`, `><`, `%`, `?` or `@`.
    `group`: answer each distinct combination of these fields, and of those in `select`, once.
    `limit`, `offset`: the part of the list.
    """

    select: list[str] = []
    filter: dict[str, Any] = {}
    order: dict[str, str] = {}
    group: list[str] = []
    limit: int = 0
    offset: int = 0


class _Shape(Struct, frozen=True):
    """The parts of a selection that determine a statement's text; the key of its cache."""

    names: tuple[str, ...]
    conditions: tuple[Condition, ...]
    order: tuple[tuple[str, bool], ...]
    grouped: bool


class Selection:
    """A list's fields by their names on the wire, and the query of its rows."""

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
        """Read `fields` of the query `rows`, whose conditions restrict rows to the caller's.

        The kind of a field, text, integer, flag or date, follows from its column's type. `always`
        are fields that every answer has; `hidden` are fields that only the method itself selects.
        `objects` are fields that are answered as stored, without filter, order or group. `filters`
        are fields for filters only. `usual` are filters of fields that the caller's filter does not
        have. The first field is the row's id.
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
        """Run the caller's `params`, with `values` for the parameters of the rows' conditions.

        Rows are of the type `Row`, except for `objects`: numbers are answered as texts, flags as Y
        or N, dates as in B6, empty references as null. `also` are fields that the method itself
        needs. Unknown fields in `select` or `order` are ignored with a warning. An unknown field in
        the filter raises `WrongType`: without it the answer would have rows that the caller did not
        ask for.
        """
        zone = call.settings(Settings).zone
        names = self._names(call, sent, also)
        filters = read_conditions(self._filter(sent.filter), self._filtered, zone, "params.filter")
        order = self._order(call, sent, names)
        conditions = tuple(condition for condition, _ in filters)
        shape = _Shape(names, conditions, order, bool(sent.group))
        for place, (condition, operands) in enumerate(filters):
            values |= zip(names_of(place, condition), operands, strict=True)
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
        """Return the number of rows that fit the limit of characters of an answer (B18)."""
        most = call.settings(BlockSettings).answer_characters
        while limit > 1 and self._length(shape).all(call.connection, most=limit, **values) > [most]:
            limit //= 2
        return limit

    def _names(self, call: Call, sent: Selecting, also: Iterable[str]) -> tuple[str, ...]:
        wanted = [*sent.select, *sent.group] or ["*"]
        offered = self._compared if sent.group else self._offered
        if unknown := [name for name in wanted if name != "*" and name not in offered]:
            call.warn(f"unknown fields were ignored: {', '.join(unknown)[:200]}")
        names = [*offered] if "*" in wanted else [name for name in wanted if name in offered]
        if not sent.group:
            names += [*self._always, *also]
        elif sent.select:
            names += self._always
        return tuple(dict.fromkeys(names)) or (self._id,)

    def _filter(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        filtered = {key.lstrip("!=<>%?@") for key in sent}
        usual = {key: value for key, value in self._usual.items() if key not in filtered}
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
            found.setdefault(self._id, False)  # makes the order of equal rows stable
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
        texts = [each for each in rows.c if isinstance(each.type, (AutoString, String, JSON))]
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
        """Return a column for grouping; dates are cut to the second, as they are answered."""
        column = self.fields[name]
        return second_of(column) if kind_of(column) == "date" else column


def _ordered(column: ColumnElement[Any], descending: bool) -> ColumnElement[Any]:
    """Order by a column, empty values as the smallest: databases differ in this."""
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
        "date": Dates(zone).write,
        "object": lambda value: value,
    }
    columns = [(name, write[kind_of(fields[name])]) for name in names]
    return [
        {
            name: None if value is None else convert(value)
            for (name, convert), value in zip(columns, row, strict=True)
        }
        for row in rows
    ]
