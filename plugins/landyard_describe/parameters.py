"""The parameters that a method takes, read from its Struct."""

import functools
import re
import types
import typing
from typing import Annotated, Any

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct

from landyard import FilePart, parameter_type
from landyard_describe.parameter_types import BINARY, WORDS, Schema, ref
from landyard_describe.typed_schemas import is_any, typed_schema, words_of


class Parameter(Struct, frozen=True):
    """One parameter of a method.

    `words` say what it takes and `text` what it is for. `kind` is the name of its type, `struct`
    the Struct of its own parameters, `schema` what its annotation says of itself, `typed` an
    annotation that says more than a type; most have one of the four. `file` is the schema of its
    part of a form, where it takes a file. `default` is UNSET where there is none to write down.
    `field` is the Struct's name for it, where that is another.
    """

    name: str
    required: bool
    words: str
    text: str
    kind: str = ""
    struct: type[Struct] | None = None
    schema: Schema | None = None
    typed: Any = None
    default: Any = UNSET
    file: Schema | None = None
    field: str = ""


@functools.lru_cache(maxsize=4096)  # a document asks four times for each, and is made anew
def parameters(struct: type[Struct]) -> tuple[Parameter, ...]:
    """List the parameters that a Struct asks for, in its order."""
    hints = typing.get_type_hints(struct, include_extras=True)
    texts = _texts(struct)
    return tuple(
        _parameter(field, hints[field.name], texts.get(field.encode_name, ""))
        for field in msgspec.structs.fields(struct)
    )


def nested_parameters(struct: type[Struct], above: str = "") -> list[tuple[str, Parameter]]:
    """List the parameters with those inside of them; the names of these have dots."""
    found = []
    for each in parameters(struct):
        found.append((above + each.name, each))
        if each.struct is not None:
            found += nested_parameters(each.struct, f"{above}{each.name}.")
    return found


def _parameter(field: msgspec.structs.FieldInfo, hint: Any, text: str) -> Parameter:
    extras = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    meta = next((extra for extra in extras if isinstance(extra, Meta)), Meta())
    schema, kind = meta.extra_json_schema, parameter_type(hint)
    typed = None if kind or schema is not None or is_any(hint) else hint
    struct = None if typed else _struct(hint)
    if not (kind or typed or schema) and meta.description:
        schema = {"description": meta.description}
    return Parameter(
        field.encode_name,
        field.required,
        meta.description or (words_of(typed_schema(typed, _named)) if typed else WORDS[kind]),
        text,
        kind,
        struct,
        schema,
        typed,
        UNSET if struct else _default(field),
        _file(hint),
        "" if field.name == field.encode_name else field.name,
    )


def _named(struct: type[Struct]) -> Schema:
    return ref(struct.__name__)


def _struct(hint: Any) -> type[Struct] | None:
    """Return the Struct that an annotation names: as its type, or beside it in `Annotated`."""
    if typing.get_origin(hint) in (Annotated, typing.Union, types.UnionType):
        return next(filter(None, map(_struct, typing.get_args(hint))), None)
    is_struct = isinstance(hint, type) and issubclass(hint, Struct) and hint is not FilePart
    return hint if is_struct else None  # a file has no parameters of its own


def _file(hint: Any) -> Schema | None:
    """Describe the part of a form that an annotation takes, and nothing else; or the parts."""
    if parameter_type(hint) == "File":
        return BINARY
    several = next((each for each in (hint, *typing.get_args(hint)) if _is_list(each)), None)
    one = several and parameter_type(typing.get_args(several)[0]) == "File"
    return {"type": "array", "items": BINARY} if one else None


def _is_list(hint: Any) -> bool:
    return typing.get_origin(hint) in (list, tuple, set, frozenset)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    """Write a default as JSON; UNSET where there is none, or it only says `not sent`."""
    default = field.default
    if field.default_factory is not NODEFAULT:
        default = field.default_factory()
    if default in (NODEFAULT, None, UNSET):
        return UNSET
    try:
        return msgspec.to_builtins(default)
    except (TypeError, ValueError):
        return UNSET


_NAMES_AND_TEXT = re.compile(r"((?:`[^`]+`(?:, | and )?)+): (.+?)[;.]?", re.DOTALL)


def _texts(struct: type[Struct]) -> dict[str, str]:
    """Find what a Struct's docstring says of its parameters: `` `lid`, `block`: ids of … ``."""
    found = {}
    for part in re.split(r"(?<=[;.])\s+", struct.__doc__ or ""):
        match = _NAMES_AND_TEXT.fullmatch(" ".join(part.split()))
        if match:
            found.update(dict.fromkeys(re.findall("`([^`]+)`", match[1]), match[2]))
    return found
