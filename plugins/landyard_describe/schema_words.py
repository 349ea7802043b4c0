"""Describes JSON Schemas in words, for tables of parameters that people read."""

from collections.abc import Iterable

from landyard_describe.parameter_types import WORDS, Schema

_FORMATS = {
    "date-time": "date and time",
    "date": "date",
    "time": "time",
    "duration": "duration",
    "decimal": "decimal number",
    "uuid": "UUID",
}


def words_of(schema: Schema) -> str:
    """Name the values that a schema takes."""
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(words_of, schema["anyOf"])))
    if "$ref" in schema:
        return WORDS.get(schema["$ref"].rpartition("/")[2], "object")
    name = _FORMATS.get(schema.get("format", ""), "") or str(schema.get("type", "object"))
    if inner := schema.get("items") or schema.get("additionalProperties"):
        name = f"{name} of {words_of(inner)}"
    return ", ".join([name, *_limits_in_words(schema)])


def _limits_in_words(schema: Schema) -> Iterable[str]:
    told = {
        "minimum": "at least {}",
        "exclusiveMinimum": "more than {}",
        "maximum": "at most {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "a multiple of {}",
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "minItems": "at least {} items",
        "maxItems": "at most {} items",
        "minProperties": "at least {} keys",
        "maxProperties": "at most {} keys",
        "pattern": "matching `{}`",
    }
    return [words.format(schema[name]) for name, words in told.items() if name in schema]
