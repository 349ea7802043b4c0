"""`landing.block.getbyid`: one block, in the form of landing.block.getlist (B4 to B6)."""

from msgspec import Struct, field

from landyard import (
    Call,
    Example,
    Id,
    MissingParams,
    Settings,
    SystemFailure,
    WrongType,
)
from landyard_blocks.group import block_methods
from landyard_blocks.listing import BlockItem, Mode, list_block, with_revisions
from landyard_blocks.lookup import see_listed
from landyard_landing import errors


class GetById(Struct, frozen=True):
    """`block`: a block's id."""

    block_id: Id = field(name="block")
    mode: Mode = field(name="params", default=Mode())
    scope: str | None = None


@block_methods.method(
    "landing.block.getbyid",
    right="view",
    errors=[MissingParams, errors.AccessDenied, errors.BlockNotFound, WrongType, SystemFailure],
    example=Example(
        {"block": 107, "params": {"edit_mode": True}},
        result={
            "id": 107,
            "lid": 10,
            "code": "ly.footer",
            "name": "Footer",
            "active": True,
            "meta": {
                "LID": "10",
                "FAVORITE_META": "",
                "CREATED_BY_ID": "0",
                "DATE_CREATE": "01/01/2026 12:00:00 am",
                "MODIFIED_BY_ID": "0",
                "DATE_MODIFY": "01/01/2026 12:00:00 am",
                "SITE_TYPE": "PAGE",
                "LANDING_TITLE": "Tidewright: small wooden boats",
                "LANDING_TPL_CODE": "",
                "SITE_TPL_CODE": "empty",
                "XML_ID": "",
                "DESIGNER_MODE": "",
            },
        },
    ),
)
def get_by_id(call: Call, params: GetById) -> BlockItem:
    """Return one block of any page, in the form of landing.block.getlist.

    Without `edit_mode` it is a published block, otherwise a draft's; their ids differ. Blocks
    marked deleted are found only with `deleted`. Needs the right to view.
    """
    mode = params.mode
    page, block, kind = see_listed(
        call, params.block_id, params.scope, public=not mode.edit_mode, deleted=mode.deleted
    )
    zone = call.settings(Settings).zone
    detail = {"draft": mode.edit_mode, "with_content": mode.get_content}
    item = list_block(zone, block, page, kind, **detail)
    if mode.get_revision and mode.edit_mode:
        [item] = with_revisions(call.connection, [item])
    return item
