"""The twin's methods for pages, and its upload."""

import base64
import io
import os
import secrets
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.twin_callers import PREFIX, CurrentCaller, DatabaseSession
from bench.twin_models import (
    Answer,
    Caller,
    KeptFile,
    MarkDelete,
    Move,
    OfPage,
    Update,
    UploadFile,
    timing,
)
from bench.twin_pages import find_page, free_code
from bench.twin_tables import Block, File, Folder, Page, begin_writing
from fastapi import APIRouter, HTTPException
from PIL import Image
from sqlmodel import Session

BASE = os.environ.get("BENCH_BASE", "")
pages = APIRouter(prefix=PREFIX)


@pages.post("/landing.landing.getpublicurl.json")
def getpublicurl(params: OfPage, caller: CurrentCaller, session: DatabaseSession) -> Answer[str]:
    start = time.time()
    page, site = find_page(session, caller, params.lid, "view")
    codes = [site.code]
    if page.id != site.main_page_id:
        folder = session.get(Folder, page.folder_id) if page.folder_id else None
        codes += [folder.code, page.code] if folder else [page.code]
    return Answer(result=f"{BASE}/{'/'.join(codes)}/", time=timing(start))


@pages.post("/landing.landing.update.json")
def update(params: Update, caller: CurrentCaller, session: DatabaseSession) -> Answer[bool]:
    start = time.time()
    begin_writing(session)
    page, _ = find_page(session, caller, params.lid, "settings")
    if params.fields.TITLE is not None:
        page.title = params.fields.TITLE
    sign(session, caller, page)
    return Answer(result=True, time=timing(start))


@pages.post("/landing.landing.move.json")
def move(params: Move, caller: CurrentCaller, session: DatabaseSession) -> Answer[bool]:
    start = time.time()
    begin_writing(session)
    page, site = find_page(session, caller, params.lid, "delete")
    folder = session.get(Folder, params.folder_id) if params.folder_id else None
    if params.folder_id and (folder is None or folder.site_id != site.id):
        raise HTTPException(400, "FOLDER_NOT_FOUND")
    if page.folder_id != (folder.id if folder else None):
        page.folder_id = folder.id if folder else None
        page.code = free_code(session, site, page.code, page)
        sign(session, caller, page)
    return Answer(result=True, time=timing(start))


@pages.post("/landing.landing.markDelete.json")
def markdelete(params: MarkDelete, caller: CurrentCaller, session: DatabaseSession) -> Answer[int]:
    start = time.time()
    begin_writing(session)
    page, site = find_page(session, caller, params.lid, "delete", trash=True)
    if page.deleted != params.mark:
        if params.mark and site.main_page_id == page.id:
            raise HTTPException(400, "CANT_DELETE_MAIN")
        if not params.mark:
            page.code = free_code(session, site, page.code, page)
        page.deleted = params.mark
        page.active = False
        sign(session, caller, page)
    return Answer(result=params.lid, time=timing(start))


@pages.post("/landing.landing.delete.json")
def delete(params: OfPage, caller: CurrentCaller, session: DatabaseSession) -> Answer[bool]:
    start = time.time()
    begin_writing(session)
    page, _ = find_page(session, caller, params.lid, "delete", trash=True)
    if page.locked:
        raise HTTPException(400, "LANDING_IS_LOCK")
    session.delete(page)
    session.commit()
    return Answer(result=True, time=timing(start))


@pages.post("/landing.block.uploadfile.json")
def uploadfile(
    params: UploadFile, caller: CurrentCaller, session: DatabaseSession
) -> Answer[KeptFile]:
    start = time.time()
    block = session.get(Block, params.block)
    if block is None:
        raise HTTPException(400, "BLOCK_NOT_FOUND")
    find_page(session, caller, block.page_id, "edit")
    content = base64.b64decode(params.picture[1])
    try:
        Image.open(io.BytesIO(content)).load()
    except OSError as error:
        raise HTTPException(400, "FILE_ERROR") from error
    key, name = secrets.token_hex(16), params.picture[0]
    keep(key, name, content)
    begin_writing(session)
    file = File(
        key=key,
        name=name,
        size=len(content),
        page_id=block.page_id,
        block_id=params.block,
        created_at=datetime.now(UTC),
        created_by=caller.user_id,
    )
    session.add(file)
    session.commit()
    assert file.id is not None
    return Answer(result=KeptFile(id=file.id, src=f"/files/{key}/{name}"), time=timing(start))


def sign(session: Session, caller: Caller, page: Page) -> None:
    page.modified_at = datetime.now(UTC)
    page.modified_by = caller.user_id
    session.add(page)
    session.commit()


def keep(key: str, name: str, content: bytes) -> None:
    folder = Path(os.environ["BENCH_FILES"], key[:2], key)
    folder.mkdir(parents=True)
    with (folder / name).open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
