"""`landyard.template.preview`: the rendered HTML of a page template."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, WrongType
from landyard_content import blocks, pages
from landyard_demos.group import demos
from landyard_landing import arguments, errors, rights, sites
from landyard_public.template_previews import preview_template
from landyard_public.themes import Theme


class Preview(Struct, frozen=True):
    """`code`: a code from landing.demos.getPageList; `siteId`: a site, for its theme."""

    code: str
    site_id: Id = field(name="siteId", default=0)


@demos.method(
    "landyard.template.preview",
    right="access to sites",
    errors=[arguments.ErrorArgument, MissingParams, errors.AccessDenied, WrongType],
    example=Example({"code": "event", "siteId": 1}, result="<!doctype html>…</html>"),
)
def preview(call: Call, params: Preview) -> str:
    """Render a page template as an HTML document, in the theme of a site.

    The document is the one visitors would get of a page from this template, and runs no script. A
    site that the caller may not view is ignored. Needs access to sites.
    """
    rights.require_access(call)
    template = pages.find_template(call.connection, params.code, call.records(pages.SiteTemplate))
    if template is None:
        raise arguments.ErrorArgument("code", f"There is no template '{params.code[:80]}'.")
    site = sites.find_site(call, params.site_id, None, every_type=True) if params.site_id else None
    block_types, themes = call.records(blocks.BlockType), call.records(Theme)
    site_id = site.id if site else 0
    return preview_template(
        call.connection,
        template,
        site_id,
        brought=block_types,
        themes=themes,
        rules=blocks.rules_for(call),
    )
