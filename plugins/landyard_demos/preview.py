"""`landyard.template.preview`: the rendered HTML of a page template."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, WrongType
from landyard_demos.group import demos
from landyard_landing import (
    AccessDenied,
    BlockType,
    ErrorArgument,
    SiteTemplate,
    Theme,
    find_site,
    find_template,
    preview_template,
    require_access,
    rules_for,
)


class Preview(Struct, frozen=True):
    """`code`: a code from landing.demos.getPageList; `siteId`: a site, for its theme."""

    code: str
    site_id: Id = field(name="siteId", default=0)


@demos.method(
    "landyard.template.preview",
    right="access to sites",
    errors=[ErrorArgument, MissingParams, AccessDenied, WrongType],
    example=Example({"code": "event", "siteId": 1}, result="<!doctype html>…</html>"),
)
def preview(call: Call, params: Preview) -> str:
    """Render a page template as an HTML document, in the theme of a site.

    The document is the one visitors would get of a page from this template, and runs no script. A
    site that the caller may not view is ignored. Needs access to sites.
    """
    require_access(call)
    template = find_template(call.connection, params.code, call.records(SiteTemplate))
    if template is None:
        raise ErrorArgument("code", f"There is no template '{params.code[:80]}'.")
    site = find_site(call, params.site_id, None, every_type=True) if params.site_id else None
    block_types, themes = call.records(BlockType), call.records(Theme)
    site_id = site.id if site else 0
    return preview_template(
        call.connection,
        template,
        site_id,
        brought=block_types,
        themes=themes,
        rules=rules_for(call),
    )
