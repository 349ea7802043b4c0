"""The twin's tables and its SQLite, set as Landyard sets its own."""

import hashlib
import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bench.world import STAMP, USER, world
from sqlalchemy import JSON, Index, event
from sqlmodel import Field, Session, SQLModel, create_engine


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
    title: str
    active: bool = True
    deleted: bool = False
    type: str = "PAGE"
    template_code: str = "empty"
    main_page_id: int | None = None


class Folder(SQLModel, table=True):
    id: int = Field(primary_key=True)
    site_id: int = Field(foreign_key="site.id")
    code: str


class Template(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    type: str = "PAGE"
    title: str
    fields: dict[str, Any] = Field(sa_type=JSON)
    blocks: list[dict[str, Any]] = Field(sa_type=JSON)


class Signed(SQLModel):
    created_at: datetime
    modified_at: datetime
    created_by: int
    modified_by: int


class Page(Signed, table=True):
    __table_args__ = (Index("page_address", "site_id", "code"),)

    id: int | None = Field(default=None, primary_key=True)
    site_id: int = Field(foreign_key="site.id")
    code: str
    folder_id: int | None = Field(default=None, foreign_key="folder.id")
    title: str
    active: bool
    deleted: bool = False
    locked: bool = False
    additional_fields: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    template_code: str | None = None


class Block(Signed, table=True):
    __table_args__ = (Index("block_of_page", "page_id", "public", "sort", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    page_id: int = Field(foreign_key="page.id", ondelete="CASCADE")
    public: bool
    code: str
    content: str
    sort: int = 500
    active: bool = True
    deleted: bool = False


class History(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    page_id: int = Field(foreign_key="page.id", index=True, ondelete="CASCADE")
    block_id: int
    user_id: int
    at: datetime
    method: str
    before: dict[str, Any] = Field(sa_type=JSON)
    after: dict[str, Any] = Field(sa_type=JSON)


class File(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    name: str
    size: int
    page_id: int = Field(index=True)
    block_id: int
    created_at: datetime
    created_by: int


engine = create_engine(
    os.environ["BENCH_DATABASE"], connect_args={"timeout": 30}, pool_size=20, max_overflow=20
)


@event.listens_for(engine, "connect")
def set_pragmas(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # `begin` starts transactions, below
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


def digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def fill() -> None:
    """Make the tables and load the world into them."""
    SQLModel.metadata.create_all(engine)
    given = world()
    with Session(engine) as session:
        session.connection(execution_options={"writes": True})
        for user in given["users"]:
            session.add(User(id=user["id"], name=user["name"], sites_access=user["sites_access"]))
        for site in given["sites"]:
            own = {name: site[name] for name in ("id", "code", "title")}
            session.add(Site(**own, main_page_id=site["main_page"]))
        session.flush()
        for user in given["users"]:
            for site in given["sites"]:
                rights = " ".join(user["rights"][str(site["id"])])
                session.add(SiteRight(user_id=user["id"], site_id=site["id"], rights=rights))
        for folder in given["folders"]:
            session.add(Folder(id=folder["id"], site_id=folder["site"], code=folder["code"]))
        for hook in given["webhooks"]:
            scopes = " ".join(hook["scopes"])
            session.add(Webhook(user_id=hook["user"], digest=digest(hook["code"]), scopes=scopes))
        for template in given["templates"]:
            session.add(Template(**template))
        for page in given["pages"]:
            _add_page(session, page)
        session.commit()


def _add_page(session: Session, page: dict[str, Any]) -> None:
    stamp = datetime.fromisoformat(STAMP)
    signed: dict[str, Any] = {
        "created_at": stamp,
        "modified_at": stamp,
        "created_by": USER,
        "modified_by": USER,
    }
    own = {name: page[name] for name in ("id", "code", "title", "active")}
    session.add(Page(site_id=page["site"], **own, **signed))
    session.flush()
    for place, block in enumerate(page["blocks"], 1):
        own = {"page_id": page["id"], "code": block["code"], "content": block["content"]}
        own["sort"] = place * 500
        session.add(Block(id=block["id"], public=False, **own, **signed))
        session.add(Block(id=block["published_id"], public=True, **own, **signed))
