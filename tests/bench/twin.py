"""The twin: the same answers from FastAPI, SQLModel and lxml, as their users write them.

It uses plain `def` endpoints, a session by `Depends`, the ORM, pydantic models in and out, and one
webhook look-up per call. SQLite is set as Landyard sets it: WAL, `synchronous=FULL`, writers that
begin immediately. Landyard's other features (other encodings of a call, batches of rights,
`operating`, validators on the page) are left out, to the twin's advantage.
"""

import html
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from bench.twin_blocks import blocks
from bench.twin_callers import PREFIX, CurrentCaller, DatabaseSession
from bench.twin_lists import lists
from bench.twin_methods import pages
from bench.twin_models import (
    AddByTemplate,
    Answer,
    BlockItem,
    GetList,
    Methods,
    Mode,
    timing,
)
from bench.twin_pages import find_page, find_site, free_code, seo
from bench.twin_tables import (
    Block,
    Page,
    Site,
    Template,
    begin_writing,
    fill,
)
from bench.world import BLOCK_NAME
from fastapi import APIRouter, FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from sqlmodel import col, select

RECORDED = msgspec.json.decode(Path(os.environ["BENCH_RECORDED"]).read_bytes())
SCOPE_OF = {
    name: "landing" if name.startswith("landing.") else "" for name in RECORDED["methods"]["result"]
}


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    if "BENCH_FILLED" not in os.environ:
        fill()
    yield


rest = APIRouter(prefix=PREFIX)


@rest.post("/methods.json")
def methods(params: Methods, caller: CurrentCaller) -> Answer[list[str]]:
    start = time.time()
    held = ["", *caller.scopes]
    names = sorted(name for name, scope in SCOPE_OF.items() if params.full or scope in held)
    return Answer(result=names, time=timing(start))


@rest.post("/landing.block.getlist.json", response_model_exclude_unset=True)
def getlist(
    params: GetList, caller: CurrentCaller, session: DatabaseSession
) -> Answer[list[BlockItem]]:
    start = time.time()
    page, site = find_page(session, caller, params.lid, "view")
    blocks = session.exec(
        select(Block)
        .where(Block.page_id == page.id)
        .where(Block.public == (not params.params.edit_mode))
        .where(Block.deleted == params.params.deleted)
        .order_by(col(Block.sort), col(Block.id))
        .limit(50)
    ).all()
    items = [block_item(block, page, site, params.params) for block in blocks]
    return Answer(result=items, time=timing(start))


@rest.post("/landing.landing.addByTemplate.json")
def addbytemplate(
    params: AddByTemplate, caller: CurrentCaller, session: DatabaseSession
) -> Answer[int]:
    start = time.time()
    begin_writing(session)
    site = find_site(session, caller, params.site_id, "edit")
    template = session.exec(select(Template).where(Template.code == params.code)).first()
    if template is None or template.type != site.type:
        raise HTTPException(400, "WRONG_DATA")
    now, user = datetime.now(UTC), caller.user_id
    signed: dict[str, Any] = {
        "created_at": now,
        "modified_at": now,
        "created_by": user,
        "modified_by": user,
    }
    title = params.fields.TITLE or template.fields.get("TITLE") or template.title
    page = Page(
        site_id=site.id,
        code=free_code(session, site, title),
        title=title,
        active=False,
        additional_fields=seo(template.fields.get("ADDITIONAL_FIELDS", {}), params.fields),
        template_code=template.code,
        **signed,
    )
    session.add(page)
    session.flush()
    assert page.id is not None
    for place, block in enumerate(template.blocks, 1):
        session.add(Block(page_id=page.id, public=False, sort=place * 500, **block, **signed))
    session.commit()
    return Answer(result=page.id, time=timing(start))


app = FastAPI(lifespan=lifespan)
for router in (rest, blocks, pages, lists):
    app.include_router(router)


@app.get("/{site_code}/", response_class=HTMLResponse)
def public_page(site_code: str, session: DatabaseSession) -> str:
    site = session.exec(select(Site).where(Site.code == site_code)).first()
    page = session.get(Page, site.main_page_id) if site else None
    if page is None or not page.active or page.deleted:
        raise HTTPException(404)
    blocks = session.exec(
        select(Block)
        .where(Block.page_id == page.id, Block.public, Block.active, ~col(Block.deleted))
        .order_by(col(Block.sort), col(Block.id))
    ).all()
    body = "\n".join(wrapped(block) for block in blocks)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(page.title)}</title>\n</head>\n<body>\n"
        f'<main id="content">\n{body}\n</main>\n</body>\n</html>\n'
    )


def block_item(block: Block, page: Page, site: Site, mode: Mode) -> BlockItem:
    assert block.id is not None
    item = BlockItem(
        id=block.id,
        lid=block.page_id,
        code=block.code,
        name=BLOCK_NAME,
        active=block.active,
        meta={
            "LID": str(block.page_id),
            "FAVORITE_META": "",
            "CREATED_BY_ID": str(block.created_by),
            "DATE_CREATE": stamp_text(block.created_at),
            "MODIFIED_BY_ID": str(block.modified_by),
            "DATE_MODIFY": stamp_text(block.modified_at),
            "SITE_TYPE": site.type,
            "LANDING_TITLE": page.title,
            "LANDING_TPL_CODE": "",
            "SITE_TPL_CODE": site.template_code,
            "XML_ID": "",
            "DESIGNER_MODE": "",
        },
    )
    if mode.get_content:
        item.content = wrapped(block)
        item.css = []
        item.js = []
    return item


def stamp_text(moment: datetime) -> str:
    return moment.strftime("%m/%d/%Y %I:%M:%S ") + moment.strftime("%p").lower()


def wrapped(block: Block) -> str:
    name = f"b{block.id}" if block.public else f'block{block.id}" data-id="{block.id}'
    css = "block-" + block.code.replace(".", "-")
    return f'<div id="{name}" class="block-wrapper {css}">{block.content}</div>'
