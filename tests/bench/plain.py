"""Plain Litestar: typed handlers that answer what Landyard answers, from memory.

No credentials, no dispatch, no rights, no database: what the framework alone costs. The paths are
written out, since Litestar finds those fastest. The page goes past Litestar too: a raw ASGI handler
sends its bytes, which is what the server alone costs.
"""

import os
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from bench.world import CODE, PAGE_PATH, USER
from litestar import Litestar, post
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send
from msgspec import UNSET, Struct, UnsetType

T = TypeVar("T")

REST = f"/rest/{USER}/{CODE}"


class Methods(Struct):
    full: bool = False
    scope: str | None = None


class Mode(Struct):
    edit_mode: bool = False
    deleted: bool = False
    get_content: bool = False


class GetList(Struct):
    lid: int
    params: Mode = msgspec.field(default_factory=Mode)
    scope: str | None = None


class UpdateNodes(Struct):
    lid: int
    block: int
    data: dict[str, Any]
    scope: str | None = None


class AddByTemplate(Struct):
    site_id: int = msgspec.field(name="siteId")
    code: str
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    scope: str | None = None


class Block(Struct):
    id: int
    lid: int
    code: str
    name: str
    active: bool
    meta: dict[str, str]
    content: str | UnsetType = UNSET
    css: list[str] | UnsetType = UNSET
    js: list[str] | UnsetType = UNSET


class Timing(Struct):
    start: float
    finish: float
    duration: float
    processing: float
    date_start: str
    date_finish: str
    operating: float
    operating_reset_at: float | UnsetType = UNSET


class Answer(Struct, Generic[T]):
    result: T
    time: Timing


class Recorded(Struct):
    """What Landyard answered before the measurement, one field for each scenario."""

    methods: Answer[list[str]]
    getlist: Answer[list[Block]]
    content: Answer[list[Block]]
    updatenodes: Answer[bool]
    addbytemplate: Answer[int]
    page: str


RECORDED = msgspec.json.decode(Path(os.environ["BENCH_RECORDED"]).read_bytes(), type=Recorded)


@post(f"{REST}/methods.json", status_code=200, sync_to_thread=False)
def methods(data: Methods) -> Answer[list[str]]:
    return RECORDED.methods


@post(f"{REST}/landing.block.getlist.json", status_code=200, sync_to_thread=False)
def getlist(data: GetList) -> Answer[list[Block]]:
    return RECORDED.content if data.params.get_content else RECORDED.getlist


@post(f"{REST}/landing.block.updatenodes.json", status_code=200, sync_to_thread=False)
def updatenodes(data: UpdateNodes) -> Answer[bool]:
    return RECORDED.updatenodes


@post(f"{REST}/landing.landing.addByTemplate.json", status_code=200, sync_to_thread=False)
def addbytemplate(data: AddByTemplate) -> Answer[int]:
    return RECORDED.addbytemplate


litestar = Litestar(
    [methods, getlist, updatenodes, addbytemplate], openapi_config=None, logging_config=None
)
PAGE = RECORDED.page.encode()
PAGE_HEADERS = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-length", str(len(PAGE)).encode()),
]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != ScopeType.HTTP or scope["path"] != PAGE_PATH:
        await litestar(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": PAGE_HEADERS})
    await send({"type": "http.response.body", "body": PAGE, "more_body": False})
