"""Revisions of pages: which of a page's fields were changed since a caller saw them.

A page's fields have no history. Its revision is a short digest of each: enough to tell which of
them changed, not what they were.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy import Connection, select

from landyard import Call, Prepared, one_of
from landyard_landing.blocks.merging import refusal
from landyard_landing.blocks.revisions import Revision, RevisionConflict
from landyard_landing.html.merging import SamePlace
from landyard_landing.tables import PAGE

_SAME = ("title", "code", "description", "xml_id", "site_id", "sitemap", "folder_id", "deleted")
_FIELDS = {name: name.upper() for name in (*_SAME, "date_public")} | {
    "folder_flag": "FOLDER",
    "view_template": "TPL_ID",
    "language": "LANG",
    "original_id": "TRANSLATION_OF",
}  # by the columns
_MORE = "ADDITIONAL_FIELDS."  # of which each is a field
_READ = Prepared(
    select(PAGE.id, PAGE.additional_fields, *(PAGE[name] for name in _FIELDS)).where(
        one_of(PAGE.id, "page_ids")
    )
)
_BYTES = 3  # of a digest: four characters
_PAIR = 8  # characters: the digest of a name, and that of its value


def read_page_revisions(connection: Connection, page_ids: Iterable[int]) -> dict[int, str]:
    """Read the revisions of pages, by their ids."""
    return {page_id: _written(fields) for page_id, fields in _read(connection, page_ids)}


def require_same_fields(
    call: Call, page_id: int, revision: Revision, wanted: Mapping[str, Any]
) -> None:
    """Need columns of a page to be what the caller saw, or what they are to be already.

    Raises `RevisionConflict`, which tells what a field is, and not what it was.
    """
    [(_, there)] = _read(call.connection, [page_id])
    seen, nothing = _digests(str(revision)), _digest(None)
    fields = {_FIELDS[name]: value for name, value in wanted.items() if name in _FIELDS}
    for name, value in (fields | _flat(wanted.get("additional_fields"), there)).items():
        is_now = there.get(name)
        if value != is_now and _digest(is_now) != seen.get(_digest(name), nothing):
            raise refusal(SamePlace(UNSET, {name: is_now}, {name: value}), _written(there))


def _read(connection: Connection, page_ids: Iterable[int]) -> list[tuple[int, dict[str, Any]]]:
    rows = _READ.all(connection, page_ids=list(page_ids))
    return [
        (row[0], dict(zip(_FIELDS.values(), row[2:], strict=True)) | _flat(row[1], {}))
        for row in rows
    ]


def _flat(more: Mapping[str, Any] | None, there: Mapping[str, Any]) -> dict[str, Any]:
    """Name the additional fields, and with None those that are `there` and shall not be."""
    if more is None:
        return {}
    gone = {name: None for name in there if name.startswith(_MORE)}
    return gone | {f"{_MORE}{name}": value for name, value in more.items()}


def _written(fields: Mapping[str, Any]) -> str:
    return "".join(_digest(name) + _digest(value) for name, value in fields.items())


def _digests(revision: str) -> dict[str, str]:
    pairs = (revision[at : at + _PAIR] for at in range(0, len(revision), _PAIR))
    found = {pair[: _PAIR // 2]: pair[_PAIR // 2 :] for pair in pairs}
    if not found.keys() >= {_digest(name) for name in _FIELDS.values()}:
        raise RevisionConflict(
            f"'{revision[:40]}' is no revision of a page; landing.landing.getList with"
            " `get_revision` answers it."
        )
    return found


def _digest(value: object) -> str:
    written = msgspec.json.encode(value, order="deterministic")
    return urlsafe_b64encode(blake2b(written, digest_size=_BYTES).digest()).decode()
