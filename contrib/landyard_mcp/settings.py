"""What operators set about MCP, in the section `[mcp]` of landyard.toml."""

from typing import Annotated

from msgspec import Meta, Struct


class McpSettings(Struct, frozen=True):
    """`left_out`: methods that are tools only where a client's address names them.

    A pattern such as `landing.repo.*` names several. `hosts`: names besides the one of
    `public_base` that clients may call the service by, such as `pages.internal:8000`. `origins`:
    web pages that may call it, such as `https://assistant.example`; none by default. `requests`:
    how many a worker answers at a time.
    """

    left_out: tuple[str, ...] = (
        *("batch", "feature.get", "method.get", "methods", "scope", "user.*"),
        *("landing.*.bindingTo*", "landing.*.unbindingFrom*", "landing.*.get*Bindings"),
        *("landing.repo.*", "landing.repowidget.*", "landing.role.*", "landing.demos.*register"),
        *("landing.syspage.*", "landing.template.*", "landing.*.*Rights", "landing.*.*avoriteBlock"),
        *("landing.site.fullExport", "landing.*.history.*", "landing.landing.removeEntities"),
    )
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    requests: Annotated[int, Meta(ge=1, le=10_000)] = 64
