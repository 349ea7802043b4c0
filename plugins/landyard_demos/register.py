"""`landing.demos.register` and `unregister`: storage and removal of callers' templates."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from landyard import Call, Example, MissingParams, ParamsReader
from landyard_content import pages
from landyard_demos.documents import SentTemplate, read_site
from landyard_demos.group import RegisterErrorData, demos
from landyard_demos.page_templates import page_template
from landyard_demos.templates import More, remove_templates, save_templates
from landyard_landing import arguments, errors, rights

_MOST_SITES = 20


class Register(Struct, frozen=True):
    """`data`: a site in the format of landing.site.fullExport, or several; `params`: extras.

    These are `site_template_id`, `lang` and `lang_original`, stored for clients only.
    """

    data: arguments.AnyMap
    params: arguments.AnyMap = None


class Unregister(Struct, frozen=True):
    """`code`: the code of the site's template."""

    code: arguments.AnyText


_read_more = ParamsReader(More)


@demos.method(
    "landing.demos.register",
    right="access to sites",
    writes=True,
    errors=[
        arguments.ErrorArgument,
        RegisterErrorData,
        errors.ContentIsBad,
        errors.EmptyRequired,
        errors.AccessDenied,
        MissingParams,
    ],
    example=Example(
        {
            "data": {
                "code": "regatta",
                "name": "Regatta",
                "type": "page",
                "items": {
                    "programme": {
                        "code": "programme",
                        "name": "Programme",
                        "type": "page",
                        "items": {
                            "#block1": {
                                "code": "ly.text",
                                "nodes": {".landing-block-node-title": ["Saturday"]},
                            }
                        },
                    }
                },
            }
        },
        result=[1, 2],
    ),
)
def register(call: Call, params: Register) -> list[int]:
    """Register a site's template and those of its pages; answers their ids, the site's first.

    `data` has the format of answers of landing.site.fullExport. landing.landing.addByTemplate makes
    pages of `<site's code>/<page's code>`, with the blocks whose types exist. Blocks are filled
    from `nodes` and `attrs`, or take the whole HTML in an export of this service; both are
    sanitised. The caller's earlier templates of the same code are removed. Needs access to sites;
    only administrators can change another user's template.
    """
    call.look(rights.require_access)
    sites = _sites(params.data)
    with arguments.as_arguments():
        more = _read_more(arguments.map_argument(params.params, "params"), "params")
    sent = [read_site(each) for each in sites]
    templates = call.look(lambda inside: [_page_templates(inside, site) for site in sent])
    return [
        template_id
        for site, made in zip(sent, templates, strict=True)
        for template_id in save_templates(call, site, made, more)
    ]


def _page_templates(call: Call, site: Sequence[SentTemplate]) -> dict[str, pages.PageTemplate]:
    """Return the page templates of a site; slow, so it runs outside the writing transaction."""
    return {each.xml_id: page_template(call, each) for each in site if each.is_page}


@demos.method(
    "landing.demos.unregister",
    right="access to sites",
    writes=True,
    errors=[MissingParams, errors.AccessDenied],
    example=Example({"code": "regatta"}, result=False),
)
def unregister(call: Call, params: Unregister) -> bool:
    """Remove a site's template and those of its pages; answers false if there is none.

    Pages made from them stay. Needs access to sites; only administrators can remove another user's
    template.
    """
    rights.require_access(call)
    return isinstance(params.code, str) and remove_templates(call, params.code)


def _sites(data: Any) -> list[Any]:
    if not isinstance(data, dict | list):
        raise arguments.ErrorArgument(
            "data", "Parameter 'data' must be an object, or an array of them."
        )
    sites = data if isinstance(data, list) else [data]
    if not sites or not all(sites) or len(sites) > _MOST_SITES:
        raise RegisterErrorData(f"Data must be a site, or 1 to {_MOST_SITES} of them.")
    return sites
