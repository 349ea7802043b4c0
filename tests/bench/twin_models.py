"""The twin's parameters and answers, as pydantic models."""

import time
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field

T = TypeVar("T")


class Caller(BaseModel):
    user_id: int
    sites_access: bool
    scopes: list[str]


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


class UpdateAttrs(BaseModel):
    lid: int
    block: int
    data: dict[str, dict[str, str]]


class RemoveCard(BaseModel):
    lid: int
    block: int
    selector: str


class Fields(BaseModel):
    TITLE: str | None = None
    XML_ID: str | None = None


class Update(BaseModel):
    lid: int
    fields: Fields


class Move(BaseModel):
    lid: int
    folder_id: int = Field(default=0, alias="toFolderId")


class MarkDelete(BaseModel):
    lid: int
    mark: bool = True


class OfPage(BaseModel):
    lid: int


class Asked(BaseModel):
    select: list[str]
    filter: dict[str, Any] = {}
    order: dict[str, str] = {}


class Lists(BaseModel):
    params: Asked


class GetContent(BaseModel):
    lid: int
    block: int
    editMode: int = 0  # noqa: N815 - as callers write it


class BlockContent(BaseModel):
    id: int
    sections: str = ""
    active: bool
    access: str = "X"
    anchor: str
    php: bool = False
    designed: bool = False
    repoId: int | None = None  # noqa: N815 - as it is answered
    content: str
    content_ext: str = ""
    css: list[str] = []
    js: list[str] = []
    assetStrings: list[str] = []  # noqa: N815
    lang: list[str] = []
    manifest: dict[str, Any]
    dynamicParams: list[str] = []  # noqa: N815


class UpdateContent(BaseModel):
    lid: int
    block: int
    content: str


class NewBlock(BaseModel):
    CODE: str


class AddBlock(BaseModel):
    lid: int
    fields: NewBlock


class UploadFile(BaseModel):
    block: int
    picture: list[str]


class KeptFile(BaseModel):
    id: int
    src: str


class NewPage(BaseModel):
    TITLE: str | None = None
    DESCRIPTION: str | None = None


class AddByTemplate(BaseModel):
    site_id: int = Field(alias="siteId")
    code: str
    fields: NewPage = NewPage()


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
