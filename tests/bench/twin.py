"""The twin: the same four answers from FastAPI, SQLModel and lxml, as their users write them.

Plain `def` endpoints, a session by `Depends`, the ORM, pydantic models in and out, one webhook
look-up per call. SQLite is set as Landyard sets it: WAL, `synchronous=FULL`, writers that begin
immediately. What Landyard does besides (other encodings of a call, batches of rights, `operating`,
validators on the page) is left out, to the twin's advantage.
"""

import hashlib
import hmac
import html
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import lxml.html
import msgspec
import nh3
from fastapi import Depends, FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from pydantic import BaseModel
from sqlalchemy import JSON, Index, event
from sqlmodel import Field, Session, SQLModel, col, create_engine, select

from bench.world import BLOCK_NAME, NODES, STAMP, world

T = TypeVar("T")

# ---------------------------------------------------------------- tables


class User(SQLModel, table=True):
    id: int = Field(primary_key=True)
    name: str
    active: bool = True
    sites_access: bool = False


class SiteRight(SQLModel, table=True):
    user_id: int = Field(primary_key=True, foreign_key="user.id")
    site_id: int = Field(primary_key=True, foreign_key="site.id")
    rights: str


class Webhook(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="user.id")
    digest: str = Field(unique=True)
    scopes: str
    active: bool = True


class Site(SQLModel, table=True):
    id: int = Field(primary_key=True)
    code: str = Field(unique=True)
    type: str = "PAGE"
    template_code: str = "empty"
    main_page_id: int | None = None


class Page(SQLModel, table=True):
    id: int = Field(primary_key=True)
    site_id: int = Field(foreign_key="site.id")
    title: str
    active: bool
    deleted: bool = False


class Block(SQLModel, table=True):
    __table_args__ = (Index("block_of_page", "page_id", "public", "sort", "id"),)

    id: int = Field(primary_key=True)
    page_id: int = Field(foreign_key="page.id")
    public: bool
    code: str
    content: str
    sort: int = 500
    active: bool = True
    deleted: bool = False
    created_at: datetime
    modified_at: datetime
    created_by: int
    modified_by: int


class History(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    page_id: int = Field(foreign_key="page.id", index=True)
    block_id: int
    user_id: int
    at: datetime
    method: str
    before: dict[str, Any] = Field(sa_type=JSON)
    after: dict[str, Any] = Field(sa_type=JSON)


# -------------------------------------------------------------- database

engine = create_engine(
    os.environ["BENCH_DATABASE"], connect_args={"timeout": 30}, pool_size=20, max_overflow=20
)


@event.listens_for(engine, "connect")
def set_pragmas(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # `begin` says how, below
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


@event.listens_for(engine, "begin")
def begin(connection: Any) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def get_session() -> Iterator[Session]:
    with Session(engine, expire_on_commit=False) as session:
        yield session


def begin_writing(session: Session) -> None:
    """End the reading transaction of the look-ups and begin one that writes."""
    session.commit()
    session.connection(execution_options={"writes": True})


def fill() -> None:
    given = world()
    stamp = datetime.fromisoformat(STAMP)
    SQLModel.metadata.create_all(engine)
    with Session(engine) as session:
        session.connection(execution_options={"writes": True})
        for user in given["users"]:
            session.add(User(id=user["id"], name=user["name"], sites_access=user["sites_access"]))
        for site in given["sites"]:
            session.add(Site(id=site["id"], code=site["code"], main_page_id=site["main_page"]))
        session.flush()
        for hook in given["webhooks"]:
            scopes = " ".join(hook["scopes"])
            session.add(Webhook(user_id=hook["user"], digest=digest(hook["code"]), scopes=scopes))
        for page in given["pages"]:
            session.add(
                Page(id=page["id"], site_id=page["site"], title=page["title"], active=page["active"])
            )
            rights = " ".join(given["users"][0]["rights"][str(page["site"])])
            session.add(SiteRight(user_id=user["id"], site_id=page["site"], rights=rights))
            session.flush()
            for block in page["blocks"]:
                for number, public in ((block["id"], False), (block["published_id"], True)):
                    session.add(
                        Block(
                            id=number,
                            page_id=page["id"],
                            public=public,
                            code=block["code"],
                            content=block["content"],
                            created_at=stamp,
                            modified_at=stamp,
                            created_by=block["created_by"],
                            modified_by=block["modified_by"],
                        )
                    )
        session.commit()


# ----------------------------------------------------------- credentials


class Caller(BaseModel):
    user_id: int
    sites_access: bool
    scopes: list[str]


def digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def get_caller(user_id: int, code: str, session: "DatabaseSession") -> Caller:
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
    return Caller(
        user_id=user.id, sites_access=user.sites_access, scopes=webhook.scopes.split()
    )


DatabaseSession = Annotated[Session, Depends(get_session)]
CurrentCaller = Annotated[Caller, Depends(get_caller)]

# -------------------------------------------------------- what goes in and out


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


# -------------------------------------------------------------- endpoints

RECORDED = msgspec.json.decode(Path(os.environ["BENCH_RECORDED"]).read_bytes())
SCOPE_OF = {
    name: "landing" if name.startswith("landing.") else ""
    for name in RECORDED["methods"]["result"]
}


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    fill()
    yield


app = FastAPI(lifespan=lifespan)


@app.post("/rest/{user_id}/{code}/methods.json")
def methods(params: Methods, caller: CurrentCaller) -> Answer[list[str]]:
    start = time.time()
    held = ["", *caller.scopes]
    names = sorted(name for name, scope in SCOPE_OF.items() if params.full or scope in held)
    return Answer(result=names, time=timing(start))


@app.post("/rest/{user_id}/{code}/landing.block.getlist.json", response_model_exclude_unset=True)
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


@app.post("/rest/{user_id}/{code}/landing.block.updatenodes.json")
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
    name = f"b{block.id}" if block.public else f"block{block.id}"
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
