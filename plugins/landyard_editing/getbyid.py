"""`landing.block.getbyid`: one block, as landing.block.getlist has it (B4 to B6)."""

from msgspec import Struct, field

from landyard import (
    Call,
    Example,
    Id,
    MissingParams,
    Settings,
    SystemFailure,
    Truthy,
    WrongType,
)
from landyard_editing.group import editing
from landyard_landing import (
    AccessDenied,
    BlockItem,
    BlockNotFound,
    list_block,
    see_listed,
    with_revisions,
)


class Mode(Struct, frozen=True):
    """`edit_mode`: the draft; `deleted`: one marked deleted; `get_content`: HTML as well.

    `get_revision`: of a draft the revision that methods of editing take.
    """

    edit_mode: Truthy = False
    deleted: Truthy = False
    get_content: Truthy = False
    get_revision: Truthy = False


class GetById(Struct, frozen=True):
    """`block`: a block's id."""

    block_id: Id = field(name="block")
    mode: Mode = field(name="params", default=Mode())
    scope: str | None = None


@editing.method(
    "landing.block.getbyid",
    right="view",
    errors=[MissingParams, AccessDenied, BlockNotFound, WrongType, SystemFailure],
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
    """Return one block, of any page, as landing.block.getlist has it.

    Without `edit_mode` it is a published block, with it one of a draft: their ids differ. Blocks
    that are marked deleted are found with `deleted` alone. Needs the right to view.
    """
    mode = params.mode
    page, block, kind = see_listed(
        call, params.block_id, params.scope, public=not mode.edit_mode, deleted=mode.deleted
    )
    zone = call.settings(Settings).zone
    shown = {"draft": mode.edit_mode, "with_content": mode.get_content}
    item = list_block(zone, block, page, kind, **shown)
    if mode.get_revision and mode.edit_mode:
        [item] = with_revisions(call.connection, [item])
    return item
