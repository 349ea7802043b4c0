"""The official SDK's client, connected to a service in this process or to a served one."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from landyard.testing import WEBHOOK, Service

T = TypeVar("T")
ADDRESS = "/-/mcp"
TOKEN = "token-of-an-assistant-0123456789"
BASE = "http://testserver"
LATEST, BEFORE = "auto", "legacy"
"""The protocol of 2026-07-28, and earlier ones with a handshake."""


def basic(user: int = 1, code: str = WEBHOOK) -> str:
    return "Basic " + base64.b64encode(f"{user}:{code}".encode()).decode()


def bearer(token: str = TOKEN) -> str:
    return f"Bearer {token}"


def in_process(service: Service) -> httpx2.AsyncBaseTransport:
    return httpx2.ASGITransport(service.web_app)


def talk(
    transport: httpx2.AsyncBaseTransport | None,
    story: Callable[[Client], Awaitable[T]],
    *,
    base: str = BASE,
    query: str = "",
    authorization: str = "",
    mode: Any = LATEST,
) -> T:
    """Connect as an assistant does, and run the story."""

    async def told() -> T:
        sent: Any = {"headers": {"Authorization": authorization or basic()}, "timeout": 60}
        # a new connection each time, so that any worker may answer
        each_anew = httpx2.Limits(max_keepalive_connections=0)
        async with httpx2.AsyncClient(transport=transport, limits=each_anew, **sent) as web:
            channel = streamable_http_client(f"{base}{ADDRESS}{query}", http_client=web)
            async with Client(channel, mode=mode) as client:
                return await story(client)

    return asyncio.run(told())


async def result(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must succeed; return the method's result."""
    return (await body(client, tool, **arguments))["result"]


async def body(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must succeed; return the whole answer."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.structured_content
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must fail; return the text of the failure."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    return answer.structured_content


async def error(call: Awaitable[Any]) -> MCPError:
    """Send a request that the protocol must refuse; return the error."""
    with pytest.raises(MCPError) as caught:
        await call
    return caught.value
