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
        *("app.*", "batch", "event*", "feature.*", "method.*", "methods", "scope", "server.*"),
        *("user.*", "landing.block.get*File", "landing.block.getContentFrom*"),
        *("landing.landing.*avoriteBlock", "landing.landing.delete", "landing.landing.history.*"),
        *("landing.landing.mark*Block", "landing.landing.removeEntities", "landing.*.getPreview"),
        *("landing.*.getAdditionalFields", "landing.demos.getList", "landing.demos.*register"),
        *("landing.repo.*", "landing.repoWidget.*", "landing.role.*", "landing.site.*binding*"),
        *("landing.site.*Folder*", "landing.site.*Rights", "landing.site.delete"),
        *("landing.site.fullExport", "landing.syspage.*", "landing.template.*"),
        *("landyard.form.export", "landyard.form.file", "landyard.theme.tokens"),
    )
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    requests: Annotated[int, Meta(ge=1, le=10_000)] = 64
