"""The twin's methods for lists, whole blocks and publication."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import nh3
from bench.twin_blocks import find_draft, save
from bench.twin_callers import PREFIX, CurrentCaller, DatabaseSession
from bench.twin_methods import sign
from bench.twin_models import (
    AddBlock,
    Answer,
    BlockContent,
    GetContent,
    Lists,
    OfPage,
    UpdateContent,
    timing,
)
from bench.twin_pages import find_page
from bench.twin_tables import Block, Page, Site, SiteRight, begin_writing
from bench.world import content
from fastapi import APIRouter, HTTPException
from sqlmodel import col, delete, func, select

lists = APIRouter(prefix=PREFIX)
# The stored manifest is the answered one, to the twin's advantage.
_RECORDED = msgspec.json.decode(Path(os.environ["BENCH_RECORDED"]).read_bytes())
_MANIFEST = _RECORDED["getcontent"]["result"]["manifest"]
_TAGS = nh3.ALLOWED_TAGS | {"section"}
_ATTRIBUTES = {**nh3.ALLOWED_ATTRIBUTES, "*": {"class", "id", "title"}}
_ATTRIBUTES["a"] = {*_ATTRIBUTES["a"], "target"}
_SITE = {"ID": "id", "CODE": "code", "TYPE": "type", "TITLE": "title", "ACTIVE": "active"} | {
    "DELETED": "deleted",
    "LANDING_ID_INDEX": "main_page_id",
}
_PAGE = {"ID": "id", "TITLE": "title", "CODE": "code", "ACTIVE": "active", "SITE_ID": "site_id"} | {
    "DATE_MODIFY": "modified_at"
}


@lists.post("/landing.site.getList.json")
def sites(
    asked: Lists, caller: CurrentCaller, session: DatabaseSession
) -> Answer[list[dict[str, Any]]]:
    start = time.time()
    query = select(Site).join(SiteRight).where(SiteRight.user_id == caller.user_id)
    for name, value in asked.params.filter.items():
        query = query.where(getattr(Site, _SITE[name]) == value)
    found = [
        {name: _told(getattr(site, _SITE[name])) for name in asked.params.select}
        for site in session.exec(query.order_by(col(Site.id)).limit(50))
        if caller.sites_access
    ]
    for each in found:
        each["CODE"] = f"/{each['CODE']}/"
    return Answer(result=found, time=timing(start))


@lists.post("/landing.landing.getList.json")
def landings(
    asked: Lists, caller: CurrentCaller, session: DatabaseSession
) -> Answer[list[dict[str, Any]]]:
    start = time.time()
    query = (
        select(Page)
        .join(SiteRight, col(SiteRight.site_id) == col(Page.site_id))
        .where(SiteRight.user_id == caller.user_id, ~col(Page.deleted))
    )
    for name, value in asked.params.filter.items():
        query = query.where(getattr(Page, _PAGE[name]) == value)
    for name, way in asked.params.order.items():
        column = getattr(Page, _PAGE[name])
        query = query.order_by(column.desc() if way == "DESC" else column)
    found = [
        {**{name: _told(getattr(page, _PAGE[name])) for name in asked.params.select}}
        | {"DOMAIN_ID": None}
        for page in session.exec(query.limit(50))
        if caller.sites_access
    ]
    return Answer(result=found, time=timing(start))


@lists.post("/landing.block.getcontent.json")
def getcontent(
    params: GetContent, caller: CurrentCaller, session: DatabaseSession
) -> Answer[BlockContent]:
    start = time.time()
    page, _ = find_page(session, caller, params.lid, "view")
    block = session.get(Block, params.block)
    wanted = block is not None and block.page_id == page.id and not block.deleted
    if block is None or not wanted or block.public == bool(params.editMode):
        raise HTTPException(400, "BLOCK_NOT_FOUND")
    css = "block-" + block.code.replace(".", "-")
    name = f'block{block.id}" data-id="{block.id}' if params.editMode else f"b{block.id}"
    told = BlockContent(
        id=params.block,
        active=block.active,
        anchor=f"b{block.id}",
        content=f'<div id="{name}" class="block-wrapper {css}">{block.content}</div>',
        manifest=_MANIFEST,
    )
    return Answer(result=told, time=timing(start))


@lists.post("/landing.block.updatecontent.json")
def updatecontent(
    params: UpdateContent, caller: CurrentCaller, session: DatabaseSession
) -> Answer[bool]:
    start = time.time()
    block = find_draft(session, caller, params.lid, params.block)
    edited = nh3.clean(params.content, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)
    save(session, caller, block, edited, "landing.block.updatecontent")
    return Answer(result=True, time=timing(start))


@lists.post("/landing.landing.addblock.json")
def addblock(params: AddBlock, caller: CurrentCaller, session: DatabaseSession) -> Answer[int]:
    start = time.time()
    begin_writing(session)
    page, _ = find_page(session, caller, params.lid, "edit")
    if params.fields.CODE != "bench.card":
        raise HTTPException(400, "BLOCK_NOT_FOUND")
    of_page = (Block.page_id == page.id, ~col(Block.public))
    last = session.exec(select(func.max(Block.sort)).where(*of_page)).one() or 0
    now = datetime.now(UTC)
    new = Block(
        page_id=params.lid,
        public=False,
        code=params.fields.CODE,
        content=content(0),
        sort=last + 500,
        created_at=now,
        modified_at=now,
        created_by=caller.user_id,
        modified_by=caller.user_id,
    )
    session.add(new)
    sign(session, caller, page)
    assert new.id is not None
    return Answer(result=new.id, time=timing(start))


@lists.post("/landing.landing.publication.json")
def publication(params: OfPage, caller: CurrentCaller, session: DatabaseSession) -> Answer[bool]:
    """Replace the published blocks by copies of all draft blocks."""
    start = time.time()
    begin_writing(session)
    page, _ = find_page(session, caller, params.lid, "publish")
    of_page = Block.page_id == page.id
    session.exec(delete(Block).where(col(Block.page_id) == page.id, col(Block.public)))
    drafts = session.exec(select(Block).where(of_page, ~col(Block.public), ~col(Block.deleted)))
    for draft in drafts.all():
        session.add(Block(**draft.model_dump(exclude={"id", "public"}), public=True))
    page.active = True
    sign(session, caller, page)
    return Answer(result=True, time=timing(start))


def _told(value: Any) -> str | None:
    if isinstance(value, bool):
        return "Y" if value else "N"
    if isinstance(value, datetime):
        return value.strftime("%m/%d/%Y %I:%M:%S ") + value.strftime("%p").lower()
    return None if value is None else str(value)
