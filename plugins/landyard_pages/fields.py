"""The fields of a page in `landing.landing.update` (contract 2.3), and their parsing."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from landyard import Id, ParamsReader, WrongType, as_list
from landyard_landing import sites


class Fields(Struct, frozen=True, rename="upper"):
    """The sent fields; others are unset. Unknown keys are ignored (C4).

    Text fields accept scalars as text (P5). `folder_id` is a plain integer: 0 means the root.
    """

    title: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    xml_id: str | UnsetType = UNSET
    site_id: Id | UnsetType = UNSET
    sitemap: str | UnsetType = UNSET
    folder: str | UnsetType = UNSET
    folder_id: int | UnsetType = UNSET
    tpl_id: Id | UnsetType = UNSET
    deleted: str | UnsetType = UNSET
    date_public: str | UnsetType = UNSET
    lang: str | UnsetType = UNSET
    translation_of: Id | UnsetType = UNSET
    additional_fields: dict[str, Any] | UnsetType = UNSET


read_fields = ParamsReader(Fields)
"""Read the fields from the object sent; raises `WrongType`."""


def is_sent(sent: Mapping[str, Any], name: str) -> bool:
    """Tell whether a field was sent; null counts as not sent (C7)."""
    return sent.get(name) is not None


def unknown_fields(sent: Mapping[str, Any]) -> list[str]:
    """Return the sent names that are no field, such as `TITEL`."""
    names = {field.encode_name for field in msgspec.structs.fields(Fields)}
    return [name for name in sent if name not in names and is_sent(sent, name)]


def merged(stored: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return merged `ADDITIONAL_FIELDS`: an empty text clears a key, null leaves it (P4).

    Raises `WrongType` for a value that is an object (P5).
    """
    additional = {
        name: read_additional(value, f"fields.ADDITIONAL_FIELDS.{name}")
        for name, value in sent.items()
    }
    return sites.merge_additional(stored, additional)


def read_additional(value: Any, name: str) -> Any:
    """Read the value of a page's additional field: a text, number, boolean, or a list of these.

    Raises `WrongType` of the parameter `name` for any other value, such as an object (P5).
    """
    value = as_list(value)
    if isinstance(value, list) and all(map(_is_plain, value)):
        return value
    if value is None or _is_plain(value):
        return value
    raise WrongType.of(name, "a text, a number, a boolean, or an array of these", value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)
