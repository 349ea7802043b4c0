"""A block as lists of blocks answer it: HTML, files and meta data (contract 2.1; B5, B6)."""

from collections.abc import Sequence
from datetime import tzinfo

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace
from sqlalchemy import Connection

from landyard import Truthy
from landyard_content import blocks
from landyard_html.wrapping import wrap_draft, wrap_public
from landyard_landing import rights, sites


class Mode(Struct, frozen=True):
    """`edit_mode`: the draft; `deleted`: blocks marked deleted; `get_content`: with their HTML.

    `get_revision`: with the revision of a draft's block, for editing methods.
    """

    edit_mode: Truthy = False
    deleted: Truthy = False
    get_content: Truthy = False
    get_revision: Truthy = False


class BlockMeta(Struct, frozen=True, rename="upper"):
    """A block's `meta` in lists; every value is a text (B6)."""

    lid: str
    favorite_meta: str
    created_by_id: str
    date_create: str
    modified_by_id: str
    date_modify: str
    site_type: str
    landing_title: str
    landing_tpl_code: str
    site_tpl_code: str
    xml_id: str
    designer_mode: str


class BlockItem(Struct, frozen=True):
    """A block in the list (contract 2.1); `content`, `css` and `js` come with `get_content` only.

    `revision` comes with `get_revision` only; callers send it back to methods that edit the block.
    """

    id: int
    lid: int
    code: str
    name: str
    active: bool
    meta: BlockMeta
    content: str | UnsetType = UNSET
    css: tuple[str, ...] | UnsetType = UNSET
    js: tuple[str, ...] | UnsetType = UNSET
    revision: str | UnsetType = UNSET


def list_block(
    zone: tzinfo,
    block: blocks.ListedBlock,
    page: rights.ViewedPage,
    kind: blocks.BlockType,
    *,
    draft: bool,
    with_content: bool,
) -> BlockItem:
    """Write a block as lists answer it, a `draft` or a published one; dates are in `zone`."""
    return BlockItem(
        id=block.id,
        lid=block.page_id,
        code=block.code,
        name=kind.name,
        active=block.active,
        meta=_meta(zone, block, page),
        content=_content(block, draft=draft) if with_content else UNSET,
        css=kind.css if with_content else UNSET,
        js=kind.js if with_content else UNSET,
    )


def with_revisions(connection: Connection, items: Sequence[BlockItem]) -> list[BlockItem]:
    """Add the revisions to listed draft blocks."""
    found = blocks.read_revisions(connection, {item.lid for item in items})
    return [replace(item, revision=found[item.id]) for item in items]


def _meta(zone: tzinfo, block: blocks.ListedBlock, page: rights.ViewedPage) -> BlockMeta:
    return BlockMeta(
        lid=str(block.page_id),
        favorite_meta="",
        created_by_id=str(block.created_by),
        date_create=sites.Dates(zone).write(block.created_at),
        modified_by_id=str(block.modified_by),
        date_modify=sites.Dates(zone).write(block.modified_at),
        site_type=page.site_type,
        landing_title=page.title,
        landing_tpl_code=page.template_code or "",
        site_tpl_code=page.site_template_code,
        xml_id=page.xml_id,
        designer_mode="",
    )


def _content(block: blocks.ListedBlock, *, draft: bool) -> str:
    content = blocks.safe_content(block.content, block.policy)
    if draft:
        return wrap_draft(block.id, block.code, content)
    if not block.active:
        return ""  # an inactive block has no published HTML (B5)
    return wrap_public(block.id, block.code, block.anchor, content)
