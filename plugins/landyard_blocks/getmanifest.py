"""`landing.block.getmanifest`: the manifest of a block on a page, which says what is editable."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, Truthy
from landyard_blocks.examples import MANIFEST
from landyard_blocks.group import block_methods
from landyard_blocks.lookup import see_block
from landyard_blocks.manifests import prepared
from landyard_landing import errors


class Mode(Struct, frozen=True):
    """`edit_mode`: the block is in the draft."""

    edit_mode: Truthy = False


class GetManifest(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of its block."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    mode: Mode = field(name="params", default=Mode())
    scope: str | None = None


@block_methods.method(
    "landing.block.getmanifest",
    right="view",
    errors=[MissingParams, errors.AccessDenied, errors.LandingNotExist, errors.BlockNotFound],
    example=Example({"lid": 11, "block": 113, "params": {"edit_mode": True}}, result=MANIFEST),
)
def get_manifest(call: Call, params: GetManifest) -> dict[str, Any]:
    """Return the manifest of a block on a page.

    It has every part, even if empty, with each node's selector as its `code`, and style sheets and
    scripts in `assets`. Without `edit_mode` the block is a published one. Needs the right to view.
    """
    _, _, kind = see_block(
        call, params.page_id, params.block_id, params.scope, public=not params.mode.edit_mode
    )
    return prepared(kind)
