"""The twin's methods that edit a block of a page's draft."""

import time
from datetime import UTC, datetime

import lxml.html
import nh3
from bench.twin_callers import PREFIX, CurrentCaller, DatabaseSession
from bench.twin_models import Answer, Caller, RemoveCard, UpdateAttrs, UpdateNodes, timing
from bench.twin_pages import find_page
from bench.twin_tables import Block, History, begin_writing
from bench.world import ATTRS, CARDS, NODES
from fastapi import APIRouter, HTTPException
from sqlmodel import Session

blocks = APIRouter(prefix=PREFIX)


@blocks.post("/landing.block.updatenodes.json")
def updatenodes(
    params: UpdateNodes, caller: CurrentCaller, session: DatabaseSession
) -> Answer[bool]:
    start = time.time()
    block = find_draft(session, caller, params.lid, params.block)
    edited = edit(block.content, params.data)
    save(session, caller, block, edited, "landing.block.updatenodes")
    return Answer(result=True, time=timing(start))


@blocks.post("/landing.block.updateattrs.json")
def updateattrs(
    params: UpdateAttrs, caller: CurrentCaller, session: DatabaseSession
) -> Answer[bool]:
    start = time.time()
    block = find_draft(session, caller, params.lid, params.block)
    root = lxml.html.fragment_fromstring(block.content)
    for key, values in params.data.items():
        selector, _, index = key.partition("@")
        found = root.find_class(selector.removeprefix(".")) if selector in ATTRS else []
        for element in found[int(index) :][:1] if index else found:
            for name, value in values.items():
                if name == ATTRS[selector]["attribute"]:
                    element.set(name, value)
    edited = str(lxml.html.tostring(root, encoding="unicode"))
    save(session, caller, block, edited, "landing.block.updateattrs")
    return Answer(result=True, time=timing(start))


@blocks.post("/landing.block.removecard.json")
def removecard(params: RemoveCard, caller: CurrentCaller, session: DatabaseSession) -> Answer[bool]:
    start = time.time()
    block = find_draft(session, caller, params.lid, params.block)
    root = lxml.html.fragment_fromstring(block.content)
    selector, _, index = params.selector.partition("@")
    found = root.find_class(selector.removeprefix(".")) if selector in CARDS else []
    if not index or int(index) >= len(found):
        raise HTTPException(400, "CARD_NOT_FOUND")
    found[int(index)].drop_tree()
    edited = str(lxml.html.tostring(root, encoding="unicode"))
    save(session, caller, block, edited, "landing.block.removecard")
    return Answer(result=True, time=timing(start))


def find_draft(session: Session, caller: Caller, page_id: int, block_id: int) -> Block:
    begin_writing(session)
    page, _ = find_page(session, caller, page_id, "edit")
    block = session.get(Block, block_id)
    if block is None or block.page_id != page.id or block.public or block.deleted:
        raise HTTPException(400, "BLOCK_NOT_FOUND")
    return block


def save(session: Session, caller: Caller, block: Block, edited: str, method: str) -> None:
    assert block.id is not None
    now = datetime.now(UTC)
    session.add(
        History(
            page_id=block.page_id,
            block_id=block.id,
            user_id=caller.user_id,
            at=now,
            method=method,
            before={"content": block.content},
            after={"content": edited},
        )
    )
    block.content = edited
    block.modified_at = now
    block.modified_by = caller.user_id
    session.add(block)
    session.commit()


def edit(content: str, data: dict[str, str]) -> str:
    """Write sanitised rich text into the nodes that the manifest names."""
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
