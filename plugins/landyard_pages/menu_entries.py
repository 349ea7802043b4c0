"""Adds a link to a new page to the menu of a draft block (P12, B16)."""

from sqlalchemy import bindparam

from landyard import Call, Prepared
from landyard_content import pages
from landyard_content.blocks import DRAFTS, BlockType, Draft, read_types, save_draft
from landyard_html.markup import Markup
from landyard_html.menus import MenuItem, render_items
from landyard_landing import sites, tables

# The drafts that a call may edit: blocks on the site's pages outside the trash.
_DRAFTS = DRAFTS.join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id).where(
    tables.PAGE.site_id == bindparam("site_id"), tables.PAGE.deleted.is_(False)
)
_LOCK_DRAFT = Prepared(
    _DRAFTS.where(tables.BLOCK.id == bindparam("block_id")).with_for_update(
        of=tables.BLOCK.id.table
    ),
    Draft,
)
_OF_PAGE = Prepared(
    _DRAFTS.with_only_columns(tables.BLOCK.id, tables.BLOCK.code, tables.MANIFEST.digest)
    .where(tables.BLOCK.page_id == bindparam("page_id"))
    .order_by(tables.BLOCK.sort, tables.BLOCK.id)
)


def add_to_menu(
    call: Call, site_id: int, block_id: int, menu_code: str, page: pages.CreatedPage
) -> None:
    """Append a link to the page to a menu of a draft block of the site, named by its selector.

    An unknown block or menu is ignored. The block's row is locked, and the edit is one entry in
    its page's history (B14).
    """
    _append(call, site_id, block_id, page, menu_code)


def add_to_main_menu(
    call: Call, site_id: int, main_page_id: int | None, page: pages.CreatedPage
) -> None:
    """Append a link to the page to the first menu block of the site's main page, if any."""
    blocks = _OF_PAGE.all(call.connection, site_id=site_id, page_id=main_page_id)
    digests = {code: digest for _, code, digest in blocks}
    kinds = read_types(call.connection, digests, call.records(BlockType))
    for block_id, code, _ in blocks:
        if kinds[code].manifest.menu:
            _append(call, site_id, block_id, page)
            return


def _append(
    call: Call, site_id: int, block_id: int, page: pages.CreatedPage, menu_code: str | None = None
) -> None:
    draft = _LOCK_DRAFT.first(call.connection, site_id=site_id, block_id=block_id)
    if draft is None:
        return
    digests = {draft.code: draft.digest}
    kind = read_types(call.connection, digests, call.records(BlockType))[draft.code]
    address = sites.address_of(call.connection, page.id)
    assert address is not None
    # The path without a host: the service's host, and the base of its addresses, may change later.
    item = MenuItem(page.title, address.path)
    markup = Markup(draft.content)
    for code in kind.manifest.menu if menu_code is None else [menu_code]:
        menu = kind.manifest.menu.get(code)
        if menu is not None and (found := markup.select(code)):
            markup.append(found[0], render_items((item,), menu))
            save_draft(call, draft, markup.source(), draft.params)
            return
