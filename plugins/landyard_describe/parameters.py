"""The descriptions of a method's parameters, read from its Struct."""

import functools
import re
import typing
from typing import Annotated, Any

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct

from landyard import ParamsReader, Reader
from landyard_describe.parameter_types import BINARY, WORDS, Schema, ref
from landyard_describe.schema_words import words_of


class Parameter(Struct, frozen=True):
    """One parameter of a method.

    `words` name the values that it takes, and `text` is what it is for. `kind` is the name of its
    type, `struct` the Struct of its own parameters, `schema` the schema that its annotation brings,
    `typed` its reader when the type is no plain one; most have one of the four. `file` is the
    schema of its part of a form, when it takes a file. `default` is UNSET for a parameter without
    one. `field` is the Struct's name for it, when that is another.
    """

    name: str
    required: bool
    words: str
    text: str
    kind: str = ""
    struct: type[Struct] | None = None
    schema: Schema | None = None
    typed: Reader | None = None
    default: Any = UNSET
    file: Schema | None = None
    field: str = ""


@functools.lru_cache(maxsize=4096)  # a document asks four times for each, and documents are rebuilt
def parameters(struct: type[Struct]) -> tuple[Parameter, ...]:
    """List the parameters that a Struct is read from, in its order."""
    texts = _texts(struct)
    infos = msgspec.structs.fields(struct)
    return tuple(
        _parameter(field.reader, info, texts.get(info.encode_name, ""))
        for field, info in zip(ParamsReader(struct).fields, infos, strict=True)
    )


def nested_parameters(struct: type[Struct], above: str = "") -> list[tuple[str, Parameter]]:
    """Return the parameters with nested ones, whose names have dots."""
    parameters_found = []
    for each in parameters(struct):
        parameters_found.append((above + each.name, each))
        if each.struct is not None:
            parameters_found += nested_parameters(each.struct, f"{above}{each.name}.")
    return parameters_found


def _parameter(reader: Reader, info: msgspec.structs.FieldInfo, text: str) -> Parameter:
    kind = reader.type
    extras = typing.get_args(info.type)[1:] if typing.get_origin(info.type) is Annotated else ()
    meta = next((extra for extra in extras if isinstance(extra, Meta)), Meta())
    schema = meta.extra_json_schema
    is_plain = kind or schema is not None or reader.takes_anything
    struct = reader.struct if is_plain else None
    if is_plain and not kind and not schema and meta.description:
        schema = {"description": meta.description}
    words = WORDS[kind] if is_plain else words_of(reader.described(_named, ref))
    return Parameter(
        info.encode_name,
        info.required,
        meta.description or words,
        text,
        kind,
        struct,
        schema,
        None if is_plain else reader,
        UNSET if struct else _default(info),
        _file(reader),
        "" if info.name == info.encode_name else info.name,
    )


def _named(struct: type[Struct]) -> Schema:
    return ref(struct.__name__)


def _file(reader: Reader) -> Schema | None:
    """Describe the part of a form, or the parts, that a parameter takes and nothing else."""
    if reader.type == "File":
        return BINARY
    return {"type": "array", "items": BINARY} if reader.files == "several" else None


def _default(field: msgspec.structs.FieldInfo) -> Any:
    """Return a default as JSON; UNSET if there is none, or if it only means `not sent`."""
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
    """Return the texts about parameters in a Struct's docstring: `` `lid`, `block`: ids of … ``."""
    texts = {}
    for part in re.split(r"(?<=[;.])\s+", struct.__doc__ or ""):
        match = _NAMES_AND_TEXT.fullmatch(" ".join(part.split()))
        if match:
            texts.update(dict.fromkeys(re.findall("`([^`]+)`", match[1]), match[2]))
    return texts
