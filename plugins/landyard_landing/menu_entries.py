"""Menu entries: links to pages, put into the menus of drafts (P12, B16)."""

from collections.abc import Iterable

from msgspec import Struct
from sqlalchemy import bindparam

from landyard import Call
from landyard_landing.blocks import save_draft
from landyard_landing.blocktypes import BlockType, read_types
from landyard_landing.history import DRAFTS, Draft
from landyard_landing.markup import Markup
from landyard_landing.menus import MenuItem, render_items
from landyard_landing.tables import Block, ManifestRow, Page
from landyard_landing.urls import address_of

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_BLOCK = Block.__table__.c  # type: ignore[attr-defined]
_TYPE = ManifestRow.__table__.c  # type: ignore[attr-defined]

# Drafts that a call may edit: those of the site's pages outside the trash.
_DRAFTS = DRAFTS.join(_PAGE.id.table, _PAGE.id == _BLOCK.page_id).where(
    _PAGE.site_id == bindparam("site_id"), _PAGE.deleted.is_(False)
)
_LOCK_DRAFT = _DRAFTS.where(_BLOCK.id == bindparam("block_id")).with_for_update(of=_BLOCK.id.table)
_OF_PAGE = (
    _DRAFTS.with_only_columns(_BLOCK.id, _BLOCK.code, _TYPE.digest)
    .where(_BLOCK.page_id == bindparam("page_id"))
    .order_by(_BLOCK.sort, _BLOCK.id)
)


class MenuEntry(Struct, frozen=True):
    """A link to a page: plain text, and the path of the page's public URL.

    The path is what leads to the page wherever the menu is shown: pages of a site share its host,
    and the scheme and the base that the service is reached by may change under a stored menu.
    """

    text: str
    href: str


def entry_for(call: Call, page_id: int, text: str) -> MenuEntry:
    """Write the entry for a page that is there."""
    address = address_of(call.connection, page_id)
    assert address is not None
    return MenuEntry(text, address.path)


def add_to_menu(call: Call, site_id: int, block_id: int, menu_code: str, entry: MenuEntry) -> None:
    """Append the entry to a menu of a draft block of the site; `menu_code` is its selector.

    An unknown block or menu is passed over. The block's row is locked, the edit is one entry of
    its page's history (B14).
    """
    _append(call, site_id, block_id, entry, menu_code)


def add_to_main_menu(call: Call, site_id: int, main_page_id: int | None, entry: MenuEntry) -> None:
    """Append the entry to the first menu block in the draft of the site's main page, if any."""
    named = {"site_id": site_id, "page_id": main_page_id}
    blocks = call.connection.execute(_OF_PAGE, named).all()
    kinds = read_types(call.connection, {code: digest for _, code, digest in blocks})
    for block_id, code, _ in blocks:
        if kinds[code].manifest.menu:
            _append(call, site_id, block_id, entry)
            return


def _append(
    call: Call, site_id: int, block_id: int, entry: MenuEntry, menu_code: str | None = None
) -> None:
    row = call.connection.execute(_LOCK_DRAFT, {"site_id": site_id, "block_id": block_id}).first()
    if row is None:
        return
    draft = Draft(*row)  # type: ignore[call-arg]  # mypy takes the row for one value
    kind = read_types(call.connection, {draft.code: draft.digest})[draft.code]
    wanted = kind.manifest.menu if menu_code is None else [menu_code]
    content = _appended(draft.content, kind, wanted, entry)
    if content is not None:
        save_draft(call, draft, content, draft.params)


def _appended(content: str, kind: BlockType, wanted: Iterable[str], entry: MenuEntry) -> str | None:
    """Append to the first of the menus that the manifest knows and the HTML has; None if none."""
    markup = Markup(content)
    for code in wanted:
        menu = kind.manifest.menu.get(code)
        if menu is not None and (found := markup.select(code)):
            markup.append(found[0], render_items((MenuItem(entry.text, entry.href),), menu))
            return markup.source()
    return None
