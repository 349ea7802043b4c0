"""Reads the conditions of a list's filter, such as `>=ID` or `!TITLE`, and writes them as SQL."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, Literal, cast, get_args

from msgspec import Struct
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ColumnElement,
    Integer,
    and_,
    bindparam,
    func,
    literal_column,
    not_,
    or_,
    type_coerce,
)

from landyard import (
    MissingParams,
    Moment,
    ParamsReader,
    WrongType,
    as_list,
    fold_mask,
    folded,
    one_of,
    read_boolean,
    read_text,
    spellings,
)
from landyard_landing.sites.dates import FORMS, Dates, second_of
from landyard_landing.sites.hosts import stored_host
from landyard_landing.tables import SITE

Kind = Literal["text", "integer", "flag", "date", "object"]
Does = Literal[
    "is", "in", "empty", "none", "between", "before", "beyond", "like", "<", ">", "<=", ">="
]

MOST = 50
"""The most conditions of a filter."""
_MOST_VALUES = 1000  # in a list
_LONGEST_MASK = 1000  # characters; databases refuse longer masks
_KEY = re.compile(r"(!?)(><|>=|<=|=%|%=|[=<>%?@]?)([A-Z][A-Z0-9_]*)")
_IGNORED = "CHECK_PERMISSIONS"
_EXPECTED = {
    "text": "a string",
    "integer": "an integer",
    "flag": "Y or N",
    "date": FORMS,
}


_ALONE: tuple[Does, ...] = ("empty", "none")  # conditions without values
_COUNTS: dict[Does, int] = {
    **dict.fromkeys(get_args(Does), 1),
    **dict.fromkeys(_ALONE, 0),
    "between": 2,
    "before": 2,
    "beyond": 2,
}  # the number of values of each condition


class Condition(Struct, frozen=True):
    """One condition without its values; prepared statements are cached by their conditions.

    `or_empty`: rows with an empty field match as well.
    """

    field: str
    does: Does
    negated: bool = False
    or_empty: bool = False


class _Integer(Struct, frozen=True):
    value: int


_read_integer = ParamsReader(_Integer)


def kind_of(column: ColumnElement[Any]) -> Kind:
    """Return the kind of a column's values on the wire."""
    match column.type:
        case Boolean():
            return "flag"
        case Integer():
            return "integer"
        case Moment():
            return "date"
        case JSON():
            return "object"
    return "text"


def read_conditions(
    sent: Mapping[str, Any], fields: Mapping[str, ColumnElement[Any]], zone: tzinfo, name: str
) -> list[tuple[Condition, Sequence[Any]]]:
    """Read a filter: its conditions, each with its values.

    Keys with a dot and `CHECK_PERMISSIONS` are ignored, as by the platform. Raises `WrongType` for
    a key that is no field, or a value that its field cannot have.
    """
    if len(sent) > MOST:
        raise WrongType.of(name, f"an object of at most {MOST} keys")
    found = []
    for key, value in sent.items():
        if "." in key or key == _IGNORED:
            continue
        parts = _KEY.fullmatch(key)
        if parts is None or parts[3] not in fields:
            names = ", ".join(fields)
            raise WrongType.of(f"{name}.{key[:80]}", f"a field of the list; these are {names}")
        negated, operator, field = parts.groups()
        reader = _Values(fields[field], zone, f"{name}.{key}")
        does, values, or_empty = reader.read(operator, as_list(value))
        found.append((Condition(field, does, bool(negated), or_empty), values))
    return found


def names_of(place: int, condition: Condition) -> tuple[str, ...]:
    """Name the statement's parameters of the condition with the index `place` in its filter."""
    return tuple(f"value_{place}_{number}" for number in range(_COUNTS[condition.does]))


def written(place: int, condition: Condition, column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Write a condition as SQL, its values as parameters named by `names_of`.

    Dates are compared to the second, as they are answered.
    """
    compared = second_of(column) if kind_of(column) == "date" else column
    positive = _positive(condition, compared, names_of(place, condition))
    if condition.or_empty:
        positive = or_(_is_empty(column), positive)
    if not condition.negated:
        return positive
    never_null = (
        condition.or_empty or condition.does in _ALONE or not getattr(column, "nullable", True)
    )
    return not_(positive) if never_null else or_(not_(positive), column.is_(None))


def _positive(
    condition: Condition, column: ColumnElement[Any], names: tuple[str, ...]
) -> ColumnElement[bool]:
    kind = kind_of(column)
    # A number beyond the column's range is compared as well, and matches no row (C5).
    type_ = BigInteger() if kind == "integer" else column.type
    values = [bindparam(name, type_=type_) for name in names]
    if condition.does in _OF_COLUMNS:
        return _OF_COLUMNS[condition.does](column, *values)
    if condition.does == "in":
        wide: ColumnElement[Any] = type_coerce(column, type_)
        return one_of(wide, names[0])
    if condition.does == "like":
        return folded(column).like(values[0], escape="\\")
    return column.bool_op("=" if condition.does == "is" else condition.does)(values[0])


def _is_empty(column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Write the condition that a text is "", a number is 0, or the value is NULL."""
    match kind_of(column):
        case "text":
            return func.coalesce(column, "") == ""
        case "integer":
            return func.coalesce(column, 0) == 0
    return column.is_(None)


_OF_COLUMNS: dict[Does, Callable[..., ColumnElement[bool]]] = {
    "empty": _is_empty,
    # Not `false()`: SQLAlchemy would then leave out the other conditions and their parameters.
    "none": lambda _: literal_column("(1 = 0)", Boolean),
    "between": lambda column, first, last: and_(column >= first, column <= last),
    "before": lambda column, last, other: and_(column < last, column != other),
    "beyond": lambda column, first, other: and_(column > first, column != other),
}


class _Values:
    """Reads the values of one condition."""

    def __init__(self, column: ColumnElement[Any], zone: tzinfo, name: str) -> None:
        self.kind = kind_of(column)
        self.zone = zone
        self.name = name
        self.is_domain = column is SITE.domain
        # Callers may write an empty reference as 0.
        self.refers = self.kind == "integer" and bool(getattr(column, "nullable", True))

    def read(self, operator: str, value: Any) -> tuple[Does, Sequence[Any], bool]:
        """Return what the condition does, its values, and whether empty fields match as well."""
        if operator == "><":
            if not isinstance(value, list) or len(value) != 2:
                raise WrongType.of(self.name, "an array of two values", value)
            return "between", [self._read(value[0])[0], self._read(value[1])[-1]], False
        if operator in {">", "<", ">=", "<="}:
            return *self._compared(operator, value), False
        if operator in {"%", "?", "=%", "%="}:
            return "like", [self._mask(value, whole=operator in {"=%", "%="})], False
        if operator == "@" and not isinstance(value, list):
            value = [value]
        if isinstance(value, list):
            return self._list(value)
        if self._is_empty(value):
            return "empty", [], False
        found = self._forms(value)
        return ("is", found, False) if len(found) == 1 else ("in", [found], False)

    def _compared(self, operator: str, value: Any) -> tuple[Does, Sequence[Any]]:
        """Read the value of a comparison with `<`, `>`, `<=` or `>=`.

        Where clocks are set back, a written date stands for two moments. Neither of them counts as
        before or after that date.
        """
        found = self._read(value)
        if len(found) == 1:
            return cast("Does", operator), [*found]
        first, last = found
        match operator:
            case ">":
                return "beyond", [first, last]
            case "<":
                return "before", [last, first]
            case ">=":
                return ">=", [first]
        return "<=", [last]

    def _list(self, values: list[Any]) -> tuple[Does, Sequence[Any], bool]:
        if len(values) > _MOST_VALUES:
            raise WrongType.of(self.name, f"an array of at most {_MOST_VALUES} values")
        if not values:
            return "none", [], False
        filled = [each for each in values if not self._is_empty(each)]
        if not filled:
            return "empty", [], False
        # The values are a single parameter of the statement, a list.
        found = [one for each in filled for one in self._forms(each)]
        return "in", [found], len(filled) < len(values)

    def _is_empty(self, value: Any) -> bool:
        if self.kind == "flag":
            return value is None  # the empty text is false, as everywhere (C6)
        if value is None or value is False or value == "":
            return True  # clients write an empty reference in these ways
        return self.refers and value in (0, "0")

    def _forms(self, value: Any) -> list[Any]:
        """Read a value: a text in each spelling in which it may be stored (P1).

        Codes and domains are stored normalised, titles and descriptions as sent.
        """
        found = [*self._read(value)]
        if self.kind != "text":
            return found
        if self.is_domain:
            return list(dict.fromkeys([*found, *map(stored_host, found)]))
        return [form for each in found for form in spellings(each)]

    def _read(self, value: Any) -> tuple[Any, ...]:
        """Read a value; a date may stand for two moments. Raises `WrongType`."""
        try:
            if self.kind == "integer":
                return (_read_integer({"value": value}).value,)
            if self.kind == "flag":
                return (read_boolean(value, self.name),)
            text = read_text(value, self.name)
        except (WrongType, MissingParams):
            raise WrongType.of(self.name, _EXPECTED[self.kind], value) from None
        if self.kind == "text":
            return (text,)
        moments = Dates(self.zone).read_seconds(text, self.name)
        if not moments:
            raise WrongType.of(self.name, _EXPECTED["date"], value)
        return moments

    def _mask(self, value: Any, *, whole: bool) -> str:
        """Write the mask of a text: any text that contains it, or the caller's own `%` and `_`."""
        if self.kind != "text":
            raise WrongType.of(self.name, "a condition for this field; masks are for texts only")
        text = read_text(value, self.name)
        if len(text) > _LONGEST_MASK:
            raise WrongType.of(self.name, f"at most {_LONGEST_MASK} characters")
        return fold_mask(text, whole=whole)
