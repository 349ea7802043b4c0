"""The settings in section `[mcp]` of landyard.toml: tools to leave out, hosts, origins."""

from typing import Annotated

from msgspec import Meta, Struct


class McpSettings(Struct, frozen=True):
    """`left_out`: methods that are offered as tools only if the client's address names them.

    A pattern such as `landing.repo.*` names several. `hosts`: host names, besides the one of
    `public_base`, under which clients may call the service, such as `pages.internal:8000`.
    `origins`: origins of web pages that may call it, such as `https://assistant.example`; none by
    default. `requests`: how many requests a worker answers at a time.
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
