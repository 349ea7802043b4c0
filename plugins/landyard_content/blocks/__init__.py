"""Finds block types; reads, saves, orders and sanitises the blocks of a page's draft."""

from landyard_content.blocks.block_parts import (
    BlockParts,
)
from landyard_content.blocks.blocktypes import (
    BlockType,
    catalogue,
    find_type,
    find_types,
    list_types,
    manifest_digest,
    read_types,
)
from landyard_content.blocks.drafts import (
    DRAFTS,
    Draft,
    ListedBlock,
    count_blocks,
    enter_edit,
    list_blocks,
    open_draft,
    safe_content,
    save_draft,
)
from landyard_content.blocks.folders import (
    read_block_types,
)
from landyard_content.blocks.html_rules import (
    rules_for,
    rules_of,
)
from landyard_content.blocks.merging import (
    refusal,
    same_place,
)
from landyard_content.blocks.node_types import (
    NodeType,
)
from landyard_content.blocks.order import (
    Order,
    room_behind,
)
from landyard_content.blocks.revisions import (
    Revision,
    RevisionConflict,
    look_back,
    read_revisions,
    stood_behind,
)
from landyard_content.blocks.showing import (
    fold_menu,
)
from landyard_content.blocks.sizes import (
    clean_sent,
    require_answer,
    require_block,
    require_block_place,
    require_length,
)
from landyard_content.blocks.splices import (
    spliced,
)

__all__ = [
    "DRAFTS",
    "BlockParts",
    "BlockType",
    "Draft",
    "ListedBlock",
    "NodeType",
    "Order",
    "Revision",
    "RevisionConflict",
    "catalogue",
    "clean_sent",
    "count_blocks",
    "enter_edit",
    "find_type",
    "find_types",
    "fold_menu",
    "list_blocks",
    "list_types",
    "look_back",
    "manifest_digest",
    "open_draft",
    "read_block_types",
    "read_revisions",
    "read_types",
    "refusal",
    "require_answer",
    "require_block",
    "require_block_place",
    "require_length",
    "room_behind",
    "rules_for",
    "rules_of",
    "safe_content",
    "same_place",
    "save_draft",
    "spliced",
    "stood_behind",
]
