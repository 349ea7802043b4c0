"""The answer that shows a block with HTML and manifest, for `getcontent` and editing methods."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from landyard import Call
from landyard_blocks.lookup import ViewedBlock, see_block
from landyard_blocks.manifests import prepared, sections
from landyard_content import blocks
from landyard_html.wrapping import wrap_draft, wrap_public
from landyard_landing import rights

_REPOSITORY = "repo_"


class Look(Struct, frozen=True):
    """Options of showing a block: as a draft, with its wrapper, and also if inactive."""

    draft: bool = True
    wrapped: bool = True
    inactive: bool = True


class ShownBlock(Struct, frozen=True):
    """A block with its HTML, its manifest, and its style sheets and scripts.

    `access` is X if the caller may edit the block, else A. `php`, `designed`, `content_ext`,
    `assetStrings`, `lang` and `dynamicParams` are constant; some clients expect them.
    """

    id: int
    sections: str
    active: bool
    access: str
    anchor: str
    php: bool
    designed: bool
    repoId: int | None  # noqa: N815 - as it is on the wire
    content: str
    content_ext: str
    css: tuple[str, ...]
    js: tuple[str, ...]
    assetStrings: tuple[str, ...]  # noqa: N815 - as it is on the wire
    lang: tuple[str, ...]
    manifest: dict[str, Any]
    dynamicParams: tuple[str, ...]  # noqa: N815 - as it is on the wire
    revision: str | UnsetType = UNSET


def show_draft(call: Call, page_id: int, block_id: int, scope: str | None) -> ShownBlock:
    """Return a block of a page's draft; raises the errors of `see_block`."""
    return show(*see_block(call, page_id, block_id, scope, public=False), Look())


def show(
    page: rights.ViewedPage, block: ViewedBlock, kind: blocks.BlockType, look: Look
) -> ShownBlock:
    """Return the answer for a block that the caller may view."""
    return ShownBlock(
        id=block.id,
        sections=",".join(sections(kind)),
        active=block.active,
        access="X" if rights.Right.EDIT in page.rights else "A",
        anchor=block.anchor or f"b{block.id}",
        php=False,
        designed=False,
        repoId=repository_id(block.code),
        content=_content(block, look),
        content_ext="",
        css=kind.css,
        js=kind.js,
        assetStrings=(),
        lang=(),
        manifest=prepared(kind),
        dynamicParams=(),
    )


def _content(block: ViewedBlock, look: Look) -> str:
    if not (block.active or look.inactive or look.draft):
        return ""
    content = blocks.safe_content(block.content, block.policy)
    if not look.wrapped:
        return content
    if look.draft:
        return wrap_draft(block.id, block.code, content)
    return wrap_public(block.id, block.code, block.anchor, content)


def repository_id(code: str) -> int | None:
    """Return the number in the code of a registered block type; None for other codes."""
    number = code.removeprefix(_REPOSITORY)
    return int(number) if number != code and number.isdecimal() and number.isascii() else None
