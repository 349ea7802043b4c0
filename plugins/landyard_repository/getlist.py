"""`landing.repo.getList`: the blocks that are registered."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import bindparam, select

from landyard import Call, Example, Paged, ParamsReader, Prepared, SystemFailure, WrongType, one_of
from landyard_landing import (
    AccessDenied,
    AnyMap,
    ErrorArgument,
    Selecting,
    Selection,
    as_arguments,
    require_access,
)
from landyard_repository.group import repository
from landyard_repository.tables import BLOCK

_MANIFEST = "MANIFEST"  # an object: the list has texts alone
_FIELDS: Mapping[str, Any] = {
    "ID": BLOCK.id,
    "XML_ID": BLOCK.xml_id,
    "APP_CODE": BLOCK.app_code,
    "ACTIVE": BLOCK.active,
    "NAME": BLOCK.name,
    "DESCRIPTION": BLOCK.description,
    "SECTIONS": BLOCK.sections,
    "SITE_TEMPLATE_ID": BLOCK.site_template_id,
    "PREVIEW": BLOCK.preview,
    "CONTENT": BLOCK.content,
    "CREATED_BY_ID": BLOCK.created_by,
    "MODIFIED_BY_ID": BLOCK.modified_by,
    "DATE_CREATE": BLOCK.created_at,
    "DATE_MODIFY": BLOCK.modified_at,
}
_BLOCKS = Selection(select(BLOCK.id).where(BLOCK.widget == bindparam("of_widget")), _FIELDS)
_MANIFESTS = Prepared(select(BLOCK.id, BLOCK.manifest).where(one_of(BLOCK.id, "block_ids")))
_read = ParamsReader(Selecting)


class GetList(Struct, frozen=True):
    """`params`: which blocks, and what of them."""

    params: AnyMap = None


@repository.method(
    "landing.repo.getList",
    right="access to sites",
    errors=[AccessDenied, ErrorArgument, SystemFailure],
    example=Example({"params": {"filter": {"ACTIVE": "Y"}, "order": {"ID": "DESC"}}}, result=[]),
)
def get_list(call: Call, params: GetList) -> Paged[dict[str, Any]]:
    """List the blocks that were registered, by everybody.

    `params` is `{select, filter, order, group, limit, offset}` as of `landing.landing.getList`,
    and so are the values in the answer, but for `MANIFEST`, which is the manifest as it was given.
    """
    with as_arguments():
        return list_blocks(call, params.params, widgets=False)


def list_blocks(call: Call, sent: Any, *, widgets: bool) -> Paged[dict[str, Any]]:
    """List registered blocks, or widgets. Raises `WrongType`, and `AccessDenied` (R1)."""
    if sent not in (None, []) and not isinstance(sent, dict):
        raise WrongType.of("params", "an object", sent)
    asked = _read(sent or {}, "params")
    require_access(call)
    whole = not asked.select or "*" in asked.select
    wanted = not asked.group and (whole or _MANIFEST in asked.select)
    if not wanted:
        found = _BLOCKS.read(call, asked, of_widget=widgets)
        return Paged([{**row} for row in found.items], found.next, found.total)
    chosen = [name for name in asked.select if name != _MANIFEST]
    asked = replace(asked, select=[*chosen, "ID"] if asked.select else [])
    found = _BLOCKS.read(call, asked, of_widget=widgets)
    block_ids = [int(row["ID"] or 0) for row in found.items]
    manifests = dict(_MANIFESTS.all(call.connection, block_ids=block_ids))
    rows = [
        {**row, _MANIFEST: manifests[block_id]}
        for row, block_id in zip(found.items, block_ids, strict=True)
    ]
    if not whole and "ID" not in chosen:
        for row in rows:
            del row["ID"]
    return Paged(rows, found.next, found.total)
