"""The MCP server: answers what the protocol asks, for the caller of each request."""

from importlib.metadata import version
from typing import Any

import mcp_types as types
import msgspec
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from landyard import Host
from landyard_mcp.calling import Answer, Caller, call
from landyard_mcp.pages import TEMPLATES, list_pages, read_page
from landyard_mcp.prompts import PROMPTS, written
from landyard_mcp.settings import McpSettings
from landyard_mcp.tools import Offer, is_offered, offers

CALLER = "mcp_caller"
"""Where a request's state has its `Caller`."""

_INSTRUCTIONS = """\
Landyard keeps sites of pages, and pages of blocks; each tool is one of its methods.

- Look before you write: a page's resource has its text, and the id and revision of each block.
- A tool that writes takes `dry_run`. Call it with `dry_run: true` first, tell the user \
the `changes`, then call it without.
- Editing tools take the block's `revision` as you have read it: edits of others elsewhere are \
merged, and REVISION_CONFLICT shows what both did to one place. Read again, then decide.
- Give `idempotency_key` to a call whose answer may get lost, and the same one when you repeat it.
- `request_id` in an answer names the call that wrote: `landyard-call-undo`, where there is such a \
tool, takes it back.
- Edits are of drafts. Visitors see them once the page is published; ask the user first.
"""

_TOOLS_KEPT = 60_000  # milliseconds that a client may remember its tools for

Context = ServerRequestContext[Any, Any]


def mcp_server(host: Host) -> Server[Any]:
    """Build the server; one is enough for all callers, for it keeps nothing of them."""
    settings = host.section(McpSettings)

    def has(caller: Caller, offer: Offer) -> bool:
        return is_offered(offer.method, caller.actor, caller.choice, settings.left_out)

    async def list_tools(context: Context, _asked: Any) -> types.ListToolsResult:
        caller, known = _caller(context), offers(host.methods).values()
        return types.ListToolsResult(tools=[each.tool for each in known if has(caller, each)])

    async def call_tool(
        context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        caller, found = _caller(context), offers(host.methods).get(asked.name)
        if found is None or not has(caller, found):
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {asked.name[:100]!r} for you.")
        return _result(await call(host, caller, found.method, asked.arguments or {}))

    async def list_resources(
        context: Context, asked: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return await list_pages(host, _caller(context), asked.cursor if asked else None)

    async def list_templates(_context: Context, _asked: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        context: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await read_page(host, _caller(context), str(asked.uri))

    async def list_prompts(_context: Context, _asked: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=PROMPTS)

    async def get_prompt(
        _context: Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return written(asked.name, asked.arguments or {})

    return Server(
        "landyard",
        title="Landyard",
        version=version("landyard"),
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=lambda _name: None,  # no tool takes arguments from headers
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        cache_hints={"tools/list": CacheHint(ttl_ms=_TOOLS_KEPT)},
    )


def _caller(context: Context) -> Caller:
    assert context.request is not None
    caller: Caller = context.request.scope["state"][CALLER]
    return caller


def _result(answer: Answer) -> types.CallToolResult:
    text = msgspec.json.encode(answer.body).decode()
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=answer.body,
        is_error=answer.failed,
    )
