"""The MCP server: handlers for tools, resources and prompts, on behalf of each request's caller."""

from importlib.metadata import version
from typing import Any

import mcp_types as types
import msgspec
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from landyard import Host
from landyard_mcp.pages import TEMPLATES, list_pages, read_page
from landyard_mcp.prompts import PROMPTS, fill_in
from landyard_mcp.settings import McpSettings
from landyard_mcp.tool_calls import Answer, Caller, call
from landyard_mcp.tools import Offer, is_offered, offers

CALLER = "mcp_caller"
"""The key of the `Caller` in a request's state."""

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

_TOOLS_KEPT = 60_000  # milliseconds for which a client may cache the list of tools

Context = ServerRequestContext[Any, Any]


def mcp_server(host: Host) -> Server[Any]:
    """Build the server; it keeps no state of callers, so one serves all of them."""
    settings = host.section(McpSettings)

    def has(caller: Caller, offer: Offer) -> bool:
        return is_offered(offer.method, caller.actor, caller.choice, settings.left_out)

    async def list_tools(context: Context, _params: Any) -> types.ListToolsResult:
        caller, offered = _caller(context), offers(host.methods).values()
        return types.ListToolsResult(tools=[each.tool for each in offered if has(caller, each)])

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        caller, offer = _caller(context), offers(host.methods).get(params.name)
        if offer is None or not has(caller, offer):
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name[:100]!r} for you.")
        return _result(await call(host, caller, offer.method, params.arguments or {}))

    async def list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return await list_pages(host, _caller(context), params.cursor if params else None)

    async def list_templates(_context: Context, _params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await read_page(host, _caller(context), str(params.uri))

    async def list_prompts(_context: Context, _params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=PROMPTS)

    async def get_prompt(
        _context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return fill_in(params.name, params.arguments or {})

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
