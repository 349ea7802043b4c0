"""Conditions of a list's filter, `>=ID` or `!TITLE`: read, and written as SQL."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, Literal, cast

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
    escaped,
    fold,
    fold_mask,
    folded,
    one_of,
    read_text,
    spelt,
)
from landyard_landing.sites.dates import read_written

Kind = Literal["text", "integer", "flag", "date", "object"]
Does = Literal["is", "in", "empty", "none", "between", "like", "<", ">", "<=", ">="]

MOST = 50
"""How many conditions a filter may have."""
_MOST_VALUES = 1000  # in a list
_LONGEST_MASK = 1000  # characters; databases refuse masks of some length
_KEY = re.compile(r"(!?)(><|>=|<=|=%|%=|[=<>%?@]?)([A-Z][A-Z0-9_]*)")
_PASSED_OVER = "CHECK_PERMISSIONS"
_EXPECTED = {
    "text": "a string",
    "integer": "an integer",
    "flag": "Y or N",
    "date": "an ISO 8601 date or DD.MM.YYYY HH:MM:SS",
}


class Condition(Struct, frozen=True):
    """One condition without its values: statements are kept by their conditions."""

    field: str
    does: Does
    negated: bool = False


class _Integer(Struct, frozen=True):
    value: int


class _Flag(Struct, frozen=True):
    value: bool


_read_integer, _read_flag = ParamsReader(_Integer), ParamsReader(_Flag)


def kind_of(column: ColumnElement[Any]) -> Kind:
    """Say what the values of a column are on the wire."""
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
    """Read a filter: its conditions, each with the values it compares with.

    Keys with a dot and `CHECK_PERMISSIONS` are passed over, as the platform does. Raises
    `WrongType` for a key that is no field, or a value that its field cannot have.
    """
    if len(sent) > MOST:
        raise WrongType.of(name, f"an object of at most {MOST} keys")
    found = []
    for key, value in sent.items():
        if "." in key or key == _PASSED_OVER:
            continue
        said = _KEY.fullmatch(key)
        if said is None or said[3] not in fields:
            known = ", ".join(fields)
            raise WrongType.of(f"{name}.{key[:80]}", f"a field of the list; these are {known}")
        negated, operator, field = said.groups()
        reader = _Values(fields[field], zone, f"{name}.{key}")
        does, values = reader.read(operator, as_list(value))
        found.append((Condition(field, does, bool(negated)), values))
    return found


def names_of(place: int, condition: Condition) -> tuple[str, ...]:
    """Name the parameters of the condition that stands at `place` of its filter."""
    count = 0 if condition.does in _ALONE else 1 + (condition.does == "between")
    return tuple(f"value_{place}_{number}" for number in range(count))


def written(place: int, condition: Condition, column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Write a condition as SQL; its values are parameters of the names of `names_of`."""
    positive = _positive(condition, column, names_of(place, condition))
    if not condition.negated:
        return positive
    if condition.does in _ALONE or not getattr(column, "nullable", True):
        return not_(positive)
    return or_(not_(positive), column.is_(None))


def _positive(
    condition: Condition, column: ColumnElement[Any], names: tuple[str, ...]
) -> ColumnElement[bool]:
    kind = kind_of(column)
    # A number beyond what the column holds is compared as well, and is nowhere (C5).
    type_ = BigInteger() if kind == "integer" else column.type
    values = [bindparam(name, type_=type_) for name in names]
    if condition.does in _ALONE:
        return _ALONE[condition.does](column)
    if condition.does == "in":
        wide: ColumnElement[Any] = type_coerce(column, type_)
        return one_of(wide, names[0])
    if condition.does == "between":
        return and_(column >= values[0], column <= values[1])
    if condition.does == "like":
        return folded(column).like(values[0], escape="\\")
    return column.bool_op("=" if condition.does == "is" else condition.does)(values[0])


def _is_empty(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return func.coalesce(column, "") == "" if kind_of(column) == "text" else column.is_(None)


_ALONE: dict[str, Callable[[ColumnElement[Any]], ColumnElement[bool]]] = {
    "empty": _is_empty,
    # Not `false()`: with that SQLAlchemy leaves the other conditions out.
    "none": lambda _: literal_column("(1 = 0)", Boolean),
}
"""Conditions that compare with nothing."""


class _Values:
    """Reads the values of one condition."""

    def __init__(self, column: ColumnElement[Any], zone: tzinfo, name: str) -> None:
        self.kind = kind_of(column)
        self.zone = zone
        self.name = name
        # A reference that is empty is said to be 0, too.
        self.refers = self.kind == "integer" and bool(getattr(column, "nullable", True))

    def read(self, operator: str, value: Any) -> tuple[Does, Sequence[Any]]:
        """Say what the condition does, and with which values."""
        if operator == "><":
            if not isinstance(value, list) or len(value) != 2:
                raise WrongType.of(self.name, "an array of two values", value)
            return "between", [self._one(each) for each in value]
        if operator in {">", "<", ">=", "<="}:
            return cast("Does", operator), [self._one(value)]
        if operator in {"%", "?", "=%", "%="}:
            return "like", [self._mask(value, whole=operator in {"=%", "%="})]
        if operator == "@" and not isinstance(value, list):
            value = [value]
        if isinstance(value, list):
            return self._list(value)
        if self._is_empty(value):
            return "empty", []
        forms = self._forms(value)
        return ("is", forms) if len(forms) == 1 else ("in", [forms])

    def _list(self, values: list[Any]) -> tuple[Does, Sequence[Any]]:
        if len(values) > _MOST_VALUES:
            raise WrongType.of(self.name, f"an array of at most {_MOST_VALUES} values")
        if self.kind == "date":
            raise WrongType.of(self.name, "one date; `><` takes two")
        if not values:
            return "none", []
        if all(map(self._is_empty, values)):
            return "empty", []
        # What is one parameter of the statement is a list of them.
        known = (self._forms(each) for each in values if not self._is_empty(each))
        return "in", [[each for forms in known for each in forms]]

    def _is_empty(self, value: Any) -> bool:
        if isinstance(value, bool) and self.kind == "flag":
            return False
        if value is None or value is False or value == "":
            return True  # so clients say that a reference is to be empty
        return self.refers and value in (0, "0")

    def _forms(self, value: Any) -> list[Any]:
        """Read a value; a text with the one in which codes are stored, where it is another (P1)."""
        one = self._one(value)
        return [one] if self.kind != "text" else list(dict.fromkeys([one, spelt(one)]))

    def _one(self, value: Any) -> Any:
        try:
            if self.kind == "integer":
                return _read_integer({"value": value}).value
            if self.kind == "flag":
                return _read_flag({"value": value}).value
            text = read_text(value, self.name)
        except (WrongType, MissingParams):
            raise WrongType.of(self.name, _EXPECTED[self.kind], value) from None
        if self.kind == "text":
            return text
        moment = read_written(text, self.zone, self.name)
        if moment is None:
            raise WrongType.of(self.name, _EXPECTED["date"], value)
        return moment

    def _mask(self, value: Any, *, whole: bool) -> str:
        """Write the mask of a text: all that hold it, or with the caller's own `%` and `_`."""
        if self.kind != "text":
            raise WrongType.of(self.name, "a condition of a text; this field holds none")
        text = read_text(value, self.name)
        if len(text) > _LONGEST_MASK:
            raise WrongType.of(self.name, f"at most {_LONGEST_MASK} characters")
        return fold_mask(text) if whole else f"%{escaped(fold(text))}%"
