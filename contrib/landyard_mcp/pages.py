"""Pages as MCP resources: Markdown text in which each block is marked with its id."""

import re
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError

from landyard import Host
from landyard_mcp.tool_calls import Caller, call

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
    """List the drafts that the caller may view, 200 at a time."""
    if cursor is not None and not _CURSOR.fullmatch(cursor):
        raise MCPError(types.INVALID_PARAMS, "The cursor is not one that this list gave.")
    selection = {"select": ["ID", "TITLE"], "order": {"ID": "ASC"}}
    offset = int(cursor or 0)
    window = {
        "limit": _AT_ONCE + 1,
        "offset": offset,
    }  # one more shows whether there is a next page
    if not _may_list(host, caller):
        return types.ListResourcesResult(resources=[])
    pages = (await _ask(host, caller, _LIST, {"params": selection | window}))["result"]
    return types.ListResourcesResult(
        resources=[_resource(each) for each in pages[:_AT_ONCE]],
        next_cursor=str(offset + _AT_ONCE) if len(pages) > _AT_ONCE else None,
    )


async def read_page(host: Host, caller: Caller, uri: str) -> types.ReadResourceResult:
    """Return the text of a page, as a draft or as published."""
    address = _ADDRESS.fullmatch(uri)
    if address is None or not _may_list(host, caller):
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:100]!r}.")
    page, published = int(address[1]), bool(address[2])
    mode = {"edit_mode": not published, "get_content": True, "get_revision": not published}
    blocks: list[Any] = []
    start: int | None = 0
    while start is not None and len(blocks) < _MOST_BLOCKS:
        params = {"lid": page, "params": mode, "start": start}
        body = await _ask(host, caller, _BLOCKS, params)
        blocks += body["result"]
        start = body.get("next")
    selection = {"select": ["ID", "TITLE"], "filter": {"ID": page}, "get_urls": True}
    titles = await _ask(host, caller, _LIST, {"params": selection})
    text = _markdown(page, titles["result"], blocks, published=published)
    if start is not None:
        text += f"\n[the blocks from number {start + 1} on are left out]\n"
    content = types.TextResourceContents(uri=uri, mime_type=_TEXT, text=text)
    return types.ReadResourceResult(contents=[content])


def _may_list(host: Host, caller: Caller) -> bool:
    """Tell whether the service has pages and the caller's credential has their scope."""
    method = host.methods.find(_LIST)
    return method is not None and method.scope in caller.actor.scopes


async def _ask(host: Host, caller: Caller, name: str, params: Mapping[str, Any]) -> Any:
    method = host.methods.find(name)
    if method is None:
        raise MCPError(types.INVALID_PARAMS, "There are no pages here.")
    answer = await call(host, caller, method, params)
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


def _markdown(page: int, titles: Any, blocks: Any, *, published: bool) -> str:
    """Write a page in Markdown: a heading, then each block's id, code and text."""
    from turbohtml import parse_fragment  # imported late: only reading a page needs the parser

    state = "published" if published else "draft"
    page_info = titles[0] if titles else {}
    parts = [f"# {page_info.get('TITLE') or ''}".rstrip(), f"page {page} ({state})"]
    if address := page_info.get("PUBLIC_URL"):
        parts[-1] += f" {address}"
    for block in blocks:
        marks = [f"block {block['id']}", block["code"]]
        if revision := block.get("revision"):
            marks.append(f"revision {revision}")
        if not block.get("active", True):
            marks.append("hidden")
        parts += [f"[{'; '.join(marks)}]", parse_fragment(block["content"]).to_markdown().strip()]
    return "\n\n".join(filter(None, parts)) + "\n"
