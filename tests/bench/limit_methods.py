"""The methods of the raw limit: few statements, plain tuples, no layers."""

import functools
import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
from bench.limit_html import clean, set_attributes, set_texts, without_card
from bench.limit_store import DELETE, EDIT, SETTINGS, VIEW, Execute
from msgspec import UNSET, Struct, UnsetType, field


class Refused(Exception):
    """A refused call: the error's code."""


class Caller(Struct, frozen=True):
    user: int
    admin: bool
    scopes: list[str]
    credential: str


class Mode(Struct, frozen=True):
    edit_mode: bool = False
    deleted: bool = False
    get_content: bool = False


class Methods(Struct, frozen=True):
    full: bool = False
    scope: str | None = None


class GetList(Struct, frozen=True):
    lid: int
    params: Mode = Mode()
    start: int = 0
    scope: str | None = None


class UpdateNodes(Struct, frozen=True):
    lid: int
    block: int
    data: dict[str, str]
    scope: str | None = None


class UpdateAttrs(Struct, frozen=True):
    lid: int
    block: int
    data: dict[str, dict[str, str]]
    scope: str | None = None


class RemoveCard(Struct, frozen=True):
    lid: int
    block: int
    selector: str
    scope: str | None = None


class NewPage(Struct, frozen=True, rename="upper"):
    title: str | None = None
    description: str | None = None


class AddByTemplate(Struct, frozen=True):
    site: int = field(name="siteId")
    code: str
    fields: NewPage = NewPage()
    scope: str | None = None


class Fields(Struct, frozen=True, rename="upper"):
    title: str | UnsetType = UNSET
    xml_id: str | UnsetType = UNSET


class Update(Struct, frozen=True):
    lid: int
    fields: Fields


class Move(Struct, frozen=True):
    lid: int
    folder: int = field(name="toFolderId", default=0)
    scope: str | None = None


class MarkDelete(Struct, frozen=True):
    lid: int
    mark: bool = True
    scope: str | None = None


class OfPage(Struct, frozen=True):
    lid: int
    scope: str | None = None


class Meta(Struct):
    LID: str
    FAVORITE_META: str
    CREATED_BY_ID: str
    DATE_CREATE: str
    MODIFIED_BY_ID: str
    DATE_MODIFY: str
    SITE_TYPE: str
    LANDING_TITLE: str
    LANDING_TPL_CODE: str
    SITE_TPL_CODE: str
    XML_ID: str
    DESIGNER_MODE: str


class BlockItem(Struct):
    id: int
    lid: int
    code: str
    name: str
    active: bool
    meta: Meta
    content: str | UnsetType = UNSET
    css: list[str] | UnsetType = UNSET
    js: list[str] | UnsetType = UNSET


class Paged(Struct):
    items: list[BlockItem]
    next: int
    total: int


class Manifest(Struct, frozen=True):
    name: str
    nodes: dict[str, dict[str, str]]
    cards: dict[str, dict[str, str]]
    attrs: dict[str, dict[str, str]]
    css: list[str]
    js: list[str]


_OWN = "COALESCE(r.rights, a.rights) * a.sites"
_PAGE = (
    f"SELECT {_OWN}, p.deleted, s.type, s.template, p.title, p.template, p.xml_id, p.site,"
    " p.folder, p.code, p.active, p.locked, p.area, s.code, s.domain, s.main_page, p.rule"
    " FROM page p JOIN site s ON s.id = p.site JOIN account a ON a.id = ?"
    " LEFT JOIN site_right r ON r.account = a.id AND r.site = p.site WHERE p.id = ?"
)
_HELD_PAGE = f"{_PAGE} -- lock p"
_SITE = (
    f"SELECT {_OWN}, s.type, s.domain FROM site s JOIN account a ON a.id = ?"
    " LEFT JOIN site_right r ON r.account = a.id AND r.site = s.id WHERE s.id = ?"
)
_LIST = (
    "SELECT b.id, b.code, b.active, b.created_by, b.created_at, b.modified_by, b.modified_at,"
    " m.digest{} FROM block b LEFT JOIN manifest m ON m.code = b.code"
    " WHERE b.page = ? AND b.public = ? AND b.deleted = ? ORDER BY b.sort, b.id LIMIT 51 OFFSET ?"
)
_LIST_BARE, _LIST_WHOLE = _LIST.format(""), _LIST.format(", b.anchor, b.content")
_COUNT = "SELECT count(*) FROM block WHERE page = ? AND public = ? AND deleted = ?"
_DRAFT = (
    "SELECT b.content, b.code, m.digest FROM block b LEFT JOIN manifest m ON m.code = b.code"
    " WHERE b.id = ? AND b.page = ? AND b.public = 0 AND b.deleted = 0 -- lock b"
)
_SAVE = "UPDATE block SET content = ?, modified_at = ?, modified_by = ? WHERE id = ?"
_HISTORY = (
    "INSERT INTO history (page, block, account, at, method, before, after)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SIGNED = "modified_at = ?, modified_by = ?"
_NEW_PAGE = (
    "INSERT INTO page (site, folder, code, title, active, published, deleted, locked, area, rule,"
    " xml_id, template, created_at, modified_at, created_by, modified_by, more)"
    " VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, '', '', ?, ?, ?, ?, ?, ?) RETURNING id"
)
_NEW_BLOCKS = (
    "INSERT INTO block (page, public, code, sort, active, deleted, created_at, modified_at,"
    " created_by, modified_by, params, content) VALUES "
)
_NEW_BLOCK = "(?, 0, ?, ?, 1, 0, ?, ?, ?, ?, '{}', ?)"
_CLASS = re.compile(r"[._:]")
_NOT_IN_A_CODE = re.compile(r"[^a-z0-9_]+")
_manifests: dict[str, Manifest] = {}
_encode = msgspec.json.Encoder().encode
BASE = os.environ.get("BENCH_BASE", "")
NAMES: dict[str, str] = {}
"""The scope of each method, set at the start."""


def methods(execute: Execute, caller: Caller, params: Methods) -> list[str]:
    if params.full:
        return sorted(NAMES)
    held = {"", *caller.scopes}
    return sorted(name for name, scope in NAMES.items() if scope in held)


def get_list(execute: Execute, caller: Caller, params: GetList) -> list[BlockItem] | Paged:
    page, mode = _page(execute, caller, params.lid, VIEW), params.params
    lid, start = params.lid, max(0, params.start)
    wanted = (lid, int(not mode.edit_mode), int(mode.deleted), start)
    rows = execute(_LIST_WHOLE if mode.get_content else _LIST_BARE, wanted).fetchall()
    shared = (page[2], page[4], page[5] or "", page[3], page[6], "")
    items = [_item(execute, lid, row, shared, draft=mode.edit_mode) for row in rows[:50]]
    if len(rows) <= 50:
        return items
    total = execute(_COUNT, wanted[:3]).fetchone()[0]
    return Paged(items, start + 50, total)


def _item(
    execute: Execute, lid: int, row: tuple[Any, ...], shared: tuple[str, ...], *, draft: bool
) -> BlockItem:
    kind = _manifests.get(row[7]) or _manifest(execute, row[1], row[7])
    signed = (str(row[3]), _date(row[4]), str(row[5]), _date(row[6]))
    meta = Meta(str(lid), "", *signed, *shared)
    item = (row[0], lid, row[1], kind.name, bool(row[2]), meta)
    if len(row) == 8:
        return BlockItem(*item)
    css = "block-" + _CLASS.sub("-", row[1])
    name = row[8] or f"b{row[0]}"
    if draft:
        name = f'block{row[0]}" data-id="{row[0]}'
    html = f'<div id="{name}" class="block-wrapper {css}">{row[9]}</div>'
    return BlockItem(*item, html, kind.css, kind.js)


def get_public_url(execute: Execute, caller: Caller, params: OfPage) -> str:
    page = _page(execute, caller, params.lid, VIEW)
    codes = [] if page[14] else [page[13]]
    folder, is_index = page[8], False
    above: list[str] = []
    while folder and page[15] != params.lid:
        row = execute("SELECT code, parent, index_page FROM folder WHERE id = ?", (folder,))
        code, folder, index = row.fetchone()
        is_index = is_index or (not above and index == params.lid)
        above.insert(0, code)
    codes += above
    if page[15] != params.lid and not is_index and not page[16]:
        codes.append(page[9])
    return f"{page[14] or BASE}/" + "".join(f"{code}/" for code in codes)


def update_nodes(execute: Execute, caller: Caller, params: UpdateNodes) -> bool:
    content, kind = _draft(execute, caller, params.lid, params.block)
    edited = set_texts(content, params.data, kind.nodes)
    _save(execute, caller, "landing.block.updatenodes", params, content, edited)
    return True


def update_attrs(execute: Execute, caller: Caller, params: UpdateAttrs) -> bool:
    content, kind = _draft(execute, caller, params.lid, params.block)
    edited = set_attributes(content, params.data, kind.attrs)
    if edited is not None:
        _save(execute, caller, "landing.block.updateattrs", params, content, edited)
    return True


def remove_card(execute: Execute, caller: Caller, params: RemoveCard) -> bool:
    content, kind = _draft(execute, caller, params.lid, params.block)
    edited = without_card(content, params.selector, kind.cards)
    _save(execute, caller, "landing.block.removecard", params, content, edited)
    return True


def add_by_template(execute: Execute, caller: Caller, params: AddByTemplate) -> int:
    site = execute(_SITE, (caller.user, params.site)).fetchone()
    if site is None or not site[0] & VIEW:
        raise Refused("SITE_ERROR")
    _need(site[0], EDIT)
    found = execute("SELECT type, title, fields, blocks FROM template WHERE code = ?",
                    (params.code,)).fetchone()  # fmt: skip
    if found is None or found[0] != site[1]:
        raise Refused("WRONG_DATA")
    told, blocks = json.loads(found[2]), json.loads(found[3])
    title = params.fields.title or told.get("TITLE") or found[1]
    more = dict(told.get("ADDITIONAL_FIELDS", {}))
    if params.fields.title is not None:
        more |= dict.fromkeys(("METAOG_TITLE", "METAMAIN_TITLE"), title)
    code = _free(execute, params.site, None, _NOT_IN_A_CODE.sub("-", title.lower()).strip("-"), 0)
    now = _now()
    signed = (now, now, caller.user, caller.user)
    place = (params.site, None, code, title, params.code)
    page = int(execute(_NEW_PAGE, (*place, *signed, _text(more))).fetchone()[0])
    values: list[Any] = []
    for number, block in enumerate(blocks, 1):
        values += (page, block["code"], number * 500, *signed, clean(block["content"]))
    execute(_NEW_BLOCKS + ",".join([_NEW_BLOCK] * len(blocks)), values)
    return page


def update(execute: Execute, caller: Caller, params: Update) -> bool:
    page = _page(execute, caller, params.lid, SETTINGS, trash=True, hold=True)
    sent = {name: value for name, value in msgspec.structs.asdict(params.fields).items()
            if value is not UNSET}  # fmt: skip
    names = "".join(f"{name} = ?, " for name in sent)
    values = (*sent.values(), _now(), caller.user, params.lid)
    execute(f"UPDATE page SET {names}{_SIGNED} WHERE id = ?", values)
    _publish(execute, page[10])
    return True


def move(execute: Execute, caller: Caller, params: Move) -> bool:
    page = _page(execute, caller, params.lid, DELETE, hold=True)
    _need(page[0], EDIT)
    if params.folder:
        place = (params.folder, page[7])
        if not execute("SELECT 1 FROM folder WHERE id = ? AND site = ?", place).fetchone():
            raise Refused("FOLDER_NOT_FOUND")
    folder = params.folder or None
    if folder == page[8]:
        return True
    code = _free(execute, page[7], folder, page[9], params.lid)
    if page[8]:
        execute("UPDATE folder SET index_page = NULL WHERE id = ? AND index_page = ?",
                (page[8], params.lid))  # fmt: skip
    values = (folder, code, _now(), caller.user, params.lid)
    execute(f"UPDATE page SET folder = ?, code = ?, {_SIGNED} WHERE id = ?", values)
    _publish(execute, page[10])
    return True


def mark_delete(execute: Execute, caller: Caller, params: MarkDelete) -> int:
    page = _page(execute, caller, params.lid, DELETE, trash=True, hold=True)
    if bool(page[1]) == params.mark:
        return params.lid
    if params.mark:
        if page[12]:
            raise Refused("UNABLE_DELETE_INCLUDE")
        if page[15] == params.lid:
            raise Refused("CANT_DELETE_MAIN")
    now = _now()
    code = page[9] if params.mark else _free(execute, page[7], page[8], page[9], params.lid)
    values = (int(params.mark), now if params.mark else None, code, now, caller.user, params.lid)
    execute(
        f"UPDATE page SET deleted = ?, deleted_at = ?, active = 0, code = ?, {_SIGNED}"
        " WHERE id = ?",
        values,
    )
    _publish(execute, page[10])
    return params.lid


def delete(execute: Execute, caller: Caller, params: OfPage) -> bool:
    page = _page(execute, caller, params.lid, DELETE, trash=True, hold=True)
    if page[11]:
        raise Refused("LANDING_IS_LOCK")
    own = (params.lid,)
    execute("SELECT token FROM file WHERE page = ?", own).fetchall()
    # Files that the page mentions would be deleted too, if no other page used them.
    execute("SELECT id FROM block WHERE page = ? AND content LIKE '%/files/%'", own).fetchall()
    execute("UPDATE site SET main_page = NULL WHERE id = ? AND main_page = ?", (page[7], *own))
    if page[8]:
        execute("UPDATE folder SET index_page = NULL WHERE id = ? AND index_page = ?",
                (page[8], *own))  # fmt: skip
    execute("DELETE FROM page WHERE id = ?", own)
    _publish(execute, page[10])
    return True


Handler = Callable[[Execute, Caller, Any], Any]
METHODS: dict[str, tuple[type[Struct], Handler, bool]] = {
    "methods": (Methods, methods, False),
    "landing.block.getlist": (GetList, get_list, False),
    "landing.block.updatenodes": (UpdateNodes, update_nodes, True),
    "landing.block.updateattrs": (UpdateAttrs, update_attrs, True),
    "landing.block.removecard": (RemoveCard, remove_card, True),
    "landing.landing.addbytemplate": (AddByTemplate, add_by_template, True),
    "landing.landing.update": (Update, update, True),
    "landing.landing.move": (Move, move, True),
    "landing.landing.markdelete": (MarkDelete, mark_delete, True),
    "landing.landing.delete": (OfPage, delete, True),
    "landing.landing.getpublicurl": (OfPage, get_public_url, False),
}
"""For each method its parameters, its function, and whether it writes."""


def _page(
    execute: Execute,
    caller: Caller,
    page_id: int,
    right: int,
    *,
    trash: bool = False,
    hold: bool = False,
) -> tuple[Any, ...]:
    query = _HELD_PAGE if hold else _PAGE
    row: tuple[Any, ...] | None = execute(query, (caller.user, page_id)).fetchone()
    if row is None or not row[0] & VIEW or (row[1] and not trash) or row[2] != "PAGE":
        raise Refused("LANDING_NOT_EXIST")
    _need(row[0], right)
    return row


def _need(held: int, right: int) -> None:
    if not held & right:
        raise Refused("ACCESS_DENIED")


def _draft(execute: Execute, caller: Caller, page_id: int, block_id: int) -> tuple[str, Manifest]:
    _page(execute, caller, page_id, EDIT)
    row = execute(_DRAFT, (block_id, page_id)).fetchone()
    if row is None:
        raise Refused("BLOCK_NOT_FOUND")
    return row[0], _manifest(execute, row[1], row[2])


def _save(  # noqa: PLR0917 - the entry, its owner, and both states
    execute: Execute,
    caller: Caller,
    method: str,
    params: UpdateNodes | UpdateAttrs | RemoveCard,
    before: str,
    after: str,
) -> None:
    now = _now()
    execute(_SAVE, (after, now, caller.user, params.block))
    told = (_text({"content": before}), _text({"content": after}))
    execute(_HISTORY, (params.lid, params.block, caller.user, now, method, *told))


def _manifest(execute: Execute, code: str, digest: str) -> Manifest:
    known = _manifests.get(digest)
    if known is None:
        found = execute("SELECT name, manifest, css, js FROM manifest WHERE code = ?", (code,))
        name, told, css, js = found.fetchone()
        more = {"name": name, "css": json.loads(css), "js": json.loads(js)}
        known = msgspec.convert({**json.loads(told), **more}, Manifest)
        _manifests[digest] = known
    return known


def _free(execute: Execute, site: int, folder: int | None, code: str, page_id: int) -> str:
    inside, place = ("IS NULL", (site,)) if folder is None else ("= ?", (site, folder))
    text = (
        f"SELECT 1 FROM page WHERE site = ? AND folder {inside} AND code = ? AND deleted = 0"
        f" AND id != ? UNION ALL SELECT 1 FROM folder WHERE site = ? AND parent {inside}"
        " AND code = ?"
    )
    execute("SELECT 1 FROM site WHERE id = ? -- lock site", (site,)).fetchone()
    free, tries = code, 0
    while execute(text, (*place, free, page_id, *place, free)).fetchone():
        tries += 1
        free = f"{code}_{tries:04x}"
    return free


def _publish(execute: Execute, active: int) -> None:
    if active:
        execute("UPDATE public SET version = version + 1", ())


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _text(value: Any) -> str:
    return _encode(value).decode()


@functools.lru_cache(maxsize=4096)
def _date(text: str) -> str:
    moment = datetime.fromisoformat(text)
    return moment.strftime("%m/%d/%Y %I:%M:%S ") + ("am" if moment.hour < 12 else "pm")
