"""Pages as resources: their text with the ids of blocks, for an assistant to read."""

import re
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError

from landyard import Host
from landyard_mcp.calling import Caller, call

_LIST, _BLOCKS = "landing.landing.getList", "landing.block.getlist"
_ADDRESS = re.compile(r"landyard://pages/([1-9][0-9]{0,17})(/published)?", re.ASCII)
_CURSOR = re.compile(r"[0-9]{1,9}", re.ASCII)
_AT_ONCE = 200  # pages in one answer
_MOST_BLOCKS = 500
_TEXT = "text/markdown"

TEMPLATES = [
    types.ResourceTemplate(
        name="page-draft",
        title="A page's draft",
        uri_template="landyard://pages/{id}",
        description="The text of a page as editors see it; each block with its id and revision.",
        mime_type=_TEXT,
    ),
    types.ResourceTemplate(
        name="page-published",
        title="A published page",
        uri_template="landyard://pages/{id}/published",
        description="The text of a page as visitors see it; each block with its id.",
        mime_type=_TEXT,
    ),
]


async def list_pages(host: Host, caller: Caller, cursor: str | None) -> types.ListResourcesResult:
    """List the drafts that the caller may view, some hundred at a time."""
    if cursor is not None and not _CURSOR.fullmatch(cursor):
        raise MCPError(types.INVALID_PARAMS, "The cursor is none of this list's.")
    asked = {"select": ["ID", "TITLE"], "order": {"ID": "ASC"}}
    offset = int(cursor or 0)
    window = {"limit": _AT_ONCE + 1, "offset": offset}  # one more tells whether there is more
    if not _may(host, caller):
        return types.ListResourcesResult(resources=[])
    found = (await _ask(host, caller, _LIST, {"params": asked | window}))["result"]
    return types.ListResourcesResult(
        resources=[_resource(each) for each in found[:_AT_ONCE]],
        next_cursor=str(offset + _AT_ONCE) if len(found) > _AT_ONCE else None,
    )


async def read_page(host: Host, caller: Caller, uri: str) -> types.ReadResourceResult:
    """Read the text of a page."""
    found = _ADDRESS.fullmatch(uri)
    if found is None or not _may(host, caller):
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:100]!r}.")
    page, published = int(found[1]), bool(found[2])
    mode = {"edit_mode": not published, "get_content": True, "get_revision": not published}
    blocks: list[Any] = []
    start: int | None = 0
    while start is not None and len(blocks) < _MOST_BLOCKS:
        sent = {"lid": page, "params": mode, "start": start}
        body = await _ask(host, caller, _BLOCKS, sent)
        blocks += body["result"]
        start = body.get("next")
    asked = {"select": ["ID", "TITLE"], "filter": {"ID": page}, "get_urls": True}
    titles = await _ask(host, caller, _LIST, {"params": asked})
    text = _written(page, titles["result"], blocks, published=published)
    if start is not None:
        text += f"\n[the blocks from number {start + 1} on are left out]\n"
    content = types.TextResourceContents(uri=uri, mime_type=_TEXT, text=text)
    return types.ReadResourceResult(contents=[content])


def _may(host: Host, caller: Caller) -> bool:
    """Tell whether there are pages here, and the caller's credential is for them."""
    found = host.methods.find(_LIST)
    return found is not None and found.scope in caller.actor.scopes


async def _ask(host: Host, caller: Caller, name: str, given: Mapping[str, Any]) -> Any:
    method = host.methods.find(name)
    if method is None:
        raise MCPError(types.INVALID_PARAMS, "There are no pages here.")
    answer = await call(host, caller, method, given)
    if answer.failed:
        code, text = answer.body["error"], answer.body["error_description"]
        raise MCPError(types.INVALID_PARAMS, f"{code}: {text}", answer.body)
    return answer.body


def _resource(page: Mapping[str, Any]) -> types.Resource:
    return types.Resource(
        name=f"page-{page['ID']}",
        title=page["TITLE"],
        uri=f"landyard://pages/{page['ID']}",
        mime_type=_TEXT,
    )


def _written(page: int, titles: Any, blocks: Any, *, published: bool) -> str:
    """Write a page: a heading, then each block with what names it and its text."""
    from turbohtml import parse_fragment  # who reads no page needs no parser

    state = "published" if published else "draft"
    told = titles[0] if titles else {}
    parts = [f"# {told.get('TITLE') or ''}".rstrip(), f"page {page} ({state})"]
    if address := told.get("PUBLIC_URL"):
        parts[-1] += f" {address}"
    for block in blocks:
        marks = [f"block {block['id']}", block["code"]]
        if revision := block.get("revision"):
            marks.append(f"revision {revision}")
        if not block.get("active", True):
            marks.append("hidden")
        parts += [f"[{'; '.join(marks)}]", parse_fragment(block["content"]).to_markdown().strip()]
    return "\n\n".join(filter(None, parts)) + "\n"
