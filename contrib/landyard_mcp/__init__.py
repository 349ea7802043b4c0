"""An MCP endpoint at `/-/mcp`: assistants call methods as tools and read pages as resources."""

from collections.abc import Iterable

from landyard import Host, hookimpl
from landyard_mcp.settings import McpSettings

__all__: list[str] = []

requires = ("describe",)


@hookimpl
def register_settings() -> type[McpSettings]:
    return McpSettings


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    try:
        from landyard_mcp.web import routes  # the command line needs no web
    except ImportError as error:
        raise ImportError("install landyard[mcp]") from error

    return routes(host)
