"""Revisions of pages, which tell whether a page's fields changed since the caller read them.

A page's fields have no history. A revision is made of a short digest of each field: it shows that a
field has changed, but not its former value.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy import Connection, select

from landyard import Call, Prepared, one_of
from landyard_content import blocks
from landyard_html.merging import SamePlace
from landyard_landing import tables

_SAME = ("title", "code", "description", "xml_id", "site_id", "sitemap", "folder_id", "deleted")
_FIELDS = {name: name.upper() for name in (*_SAME, "date_public")} | {
    "folder_flag": "FOLDER",
    "view_template": "TPL_ID",
    "language": "LANG",
    "original_id": "TRANSLATION_OF",
}  # by the columns
_MORE = "ADDITIONAL_FIELDS."  # the prefix of each additional field
_READ = Prepared(
    select(
        tables.PAGE.id, tables.PAGE.additional_fields, *(tables.PAGE[name] for name in _FIELDS)
    ).where(one_of(tables.PAGE.id, "page_ids"))
)
_BYTES = 3  # the length of a digest, which is written in four characters
_PAIR = 8  # characters: the digests of a name and of its value


def read_page_revisions(connection: Connection, page_ids: Iterable[int]) -> dict[int, str]:
    """Read the revisions of pages, by their ids."""
    return {page_id: _written(fields) for page_id, fields in _read(connection, page_ids)}


def require_same_fields(
    call: Call, page_id: int, revision: blocks.Revision, wanted: Mapping[str, Any]
) -> None:
    """Require columns of a page to be unchanged since the revision, or equal to `wanted`.

    Raises `RevisionConflict` with the field's present value, and without the former one.
    """
    [(_, present)] = _read(call.connection, [page_id])
    digests, nothing = _digests(str(revision)), _digest(None)
    fields = {_FIELDS[name]: value for name, value in wanted.items() if name in _FIELDS}
    for name, value in (fields | _flat(wanted.get("additional_fields"), present)).items():
        is_now = present.get(name)
        if value != is_now and _digest(is_now) != digests.get(_digest(name), nothing):
            raise blocks.refusal(SamePlace(UNSET, {name: is_now}, {name: value}), _written(present))


def _read(connection: Connection, page_ids: Iterable[int]) -> list[tuple[int, dict[str, Any]]]:
    rows = _READ.all(connection, page_ids=list(page_ids))
    return [
        (row[0], dict(zip(_FIELDS.values(), row[2:], strict=True)) | _flat(row[1], {}))
        for row in rows
    ]


def _flat(more: Mapping[str, Any] | None, present: Mapping[str, Any]) -> dict[str, Any]:
    """Key the additional fields by prefixed names; `present` ones that are to go have None."""
    if more is None:
        return {}
    removed = {name: None for name in present if name.startswith(_MORE)}
    return removed | {f"{_MORE}{name}": value for name, value in more.items()}


def _written(fields: Mapping[str, Any]) -> str:
    return "".join(_digest(name) + _digest(value) for name, value in fields.items())


def _digests(revision: str) -> dict[str, str]:
    pairs = (revision[at : at + _PAIR] for at in range(0, len(revision), _PAIR))
    found = {pair[: _PAIR // 2]: pair[_PAIR // 2 :] for pair in pairs}
    if not found.keys() >= {_digest(name) for name in _FIELDS.values()}:
        raise blocks.RevisionConflict(
            f"'{revision[:40]}' is no revision of a page; landing.landing.getList with"
            " `get_revision` answers the revisions of pages."
        )
    return found


def _digest(value: object) -> str:
    written = msgspec.json.encode(value, order="deterministic")
    return urlsafe_b64encode(blake2b(written, digest_size=_BYTES).digest()).decode()
