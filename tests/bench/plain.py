"""Plain Litestar: typed handlers that answer what Landyard answers, from memory.

No credentials, no dispatch, no rights, no database: what the framework alone costs. The paths are
written out, since Litestar finds those fastest.
"""

import os
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from bench.world import CODE, PAGE_PATH, USER
from litestar import Litestar, MediaType, get, post
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


@get(PAGE_PATH, media_type=MediaType.HTML, sync_to_thread=False)
def page() -> str:
    return RECORDED.page


app = Litestar([methods, getlist, updatenodes, page], openapi_config=None, logging_config=None)
