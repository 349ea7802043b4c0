"""The twin: the same four answers from FastAPI, SQLModel and lxml, as their users write them.

Plain `def` endpoints, a session by `Depends`, the ORM, pydantic models in and out, one webhook
look-up per call. SQLite is set as Landyard sets it: WAL, `synchronous=FULL`, writers that begin
immediately. What Landyard does besides (other encodings of a call, batches of rights, `operating`,
validators on the page) is left out, to the twin's advantage.
"""

import hmac
import html
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import lxml.html
import msgspec
import nh3
from bench.twin_tables import (
    Block,
    History,
    Page,
    Site,
    SiteRight,
    User,
    Webhook,
    begin_writing,
    digest,
    fill,
    get_session,
)
from bench.world import BLOCK_NAME, NODES
from fastapi import APIRouter, Depends, FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from pydantic import BaseModel
from sqlmodel import Session, col, select

T = TypeVar("T")

DatabaseSession = Annotated[Session, Depends(get_session)]


class Caller(BaseModel):
    user_id: int
    sites_access: bool
    scopes: list[str]


def get_caller(user_id: int, code: str, session: DatabaseSession) -> Caller:
    hashed = digest(code)
    found = session.exec(
        select(Webhook, User).join(User).where(col(Webhook.digest) == hashed)
    ).first()
    if found is None:
        raise HTTPException(401, "INVALID_CREDENTIALS")
    webhook, user = found
    if not hmac.compare_digest(webhook.digest, hashed) or webhook.user_id != user_id:
        raise HTTPException(401, "INVALID_CREDENTIALS")
    if not webhook.active or not user.active:
        raise HTTPException(403, "user_access_error")
    return Caller(user_id=user.id, sites_access=user.sites_access, scopes=webhook.scopes.split())


CurrentCaller = Annotated[Caller, Depends(get_caller)]


class Methods(BaseModel):
    full: bool = False
    scope: str | None = None


class Mode(BaseModel):
    edit_mode: bool = False
    deleted: bool = False
    get_content: bool = False


class GetList(BaseModel):
    lid: int
    params: Mode = Mode()


class UpdateNodes(BaseModel):
    lid: int
    block: int
    data: dict[str, str]


class Timing(BaseModel):
    start: float
    finish: float
    duration: float
    processing: float
    date_start: str
    date_finish: str
    operating: float
    operating_reset_at: float


class Answer(BaseModel, Generic[T]):
    result: T
    time: Timing


class BlockItem(BaseModel):
    id: int
    lid: int
    code: str
    name: str
    active: bool
    meta: dict[str, str]
    content: str | None = None
    css: list[str] | None = None
    js: list[str] | None = None


def timing(start: float) -> Timing:
    finish = time.time()
    return Timing(
        start=start,
        finish=finish,
        duration=finish - start,
        processing=finish - start,
        date_start=datetime.fromtimestamp(int(start), UTC).isoformat(),
        date_finish=datetime.fromtimestamp(int(finish), UTC).isoformat(),
        operating=finish - start,
        operating_reset_at=start + 600,
    )


RECORDED = msgspec.json.decode(Path(os.environ["BENCH_RECORDED"]).read_bytes())
SCOPE_OF = {
    name: "landing" if name.startswith("landing.") else "" for name in RECORDED["methods"]["result"]
}


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    fill()
    yield


rest = APIRouter(prefix="/rest/{user_id}/{code}")


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


@rest.post("/landing.block.updatenodes.json")
def updatenodes(
    params: UpdateNodes, caller: CurrentCaller, session: DatabaseSession
) -> Answer[bool]:
    start = time.time()
    begin_writing(session)
    page, _ = find_page(session, caller, params.lid, "edit")
    block = session.get(Block, params.block)
    if block is None or block.page_id != page.id or block.public or block.deleted:
        raise HTTPException(400, "BLOCK_NOT_FOUND")
    edited = edit(block.content, params.data)
    now = datetime.now(UTC)
    session.add(
        History(
            page_id=page.id,
            block_id=block.id,
            user_id=caller.user_id,
            at=now,
            method="landing.block.updatenodes",
            before={"content": block.content},
            after={"content": edited},
        )
    )
    block.content = edited
    block.modified_at = now
    block.modified_by = caller.user_id
    session.add(block)
    session.commit()
    return Answer(result=True, time=timing(start))


app = FastAPI(lifespan=lifespan)
app.include_router(rest)


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


def find_page(session: Session, caller: Caller, page_id: int, right: str) -> tuple[Page, Site]:
    if not caller.sites_access:
        raise HTTPException(400, "ACCESS_DENIED")
    page = session.get(Page, page_id)
    site = session.get(Site, page.site_id) if page else None
    if page is None or site is None or page.deleted:
        raise HTTPException(400, "LANDING_NOT_EXIST")
    held = session.get(SiteRight, (caller.user_id, site.id))
    if held is None:
        raise HTTPException(400, "LANDING_NOT_EXIST")
    if right not in held.rights.split():
        raise HTTPException(400, "ACCESS_DENIED")
    return page, site


def block_item(block: Block, page: Page, site: Site, mode: Mode) -> BlockItem:
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


def edit(content: str, data: dict[str, str]) -> str:
    """Put sanitised rich text into the nodes that the manifest names."""
    root = lxml.html.fragment_fromstring(content)
    applied = 0
    for selector, value in data.items():
        if selector not in NODES:
            continue
        for element in root.find_class(selector.removeprefix("."))[:1]:
            for child in list(element):
                element.remove(child)
            element.text = None
            for part in lxml.html.fragments_fromstring(nh3.clean(value)):
                if isinstance(part, str):
                    element.text = part
                else:
                    element.append(part)
            applied += 1
    if not applied:
        raise HTTPException(400, "NODES_NOT_FOUND")
    return str(lxml.html.tostring(root, encoding="unicode"))
