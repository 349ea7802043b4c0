"""`landing.demos.register` and `unregister`: templates of a caller's own."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from landyard import Call, Example, MissingParams, ParamsReader
from landyard_demos.documents import Given, read_site
from landyard_demos.group import RegisterErrorData, demos
from landyard_demos.making import page_template
from landyard_demos.templates import More, remove_templates, save_templates
from landyard_landing import (
    AccessDenied,
    AnyMap,
    AnyText,
    ContentIsBad,
    EmptyRequired,
    ErrorArgument,
    PageTemplate,
    as_arguments,
    map_argument,
    require_access,
)

_MOST_SITES = 20


class Register(Struct, frozen=True):
    """`data`: a site in the format of landing.site.fullExport, or several; `params`: what is kept.

    That is `site_template_id`, `lang` and `lang_original`, which are for clients alone.
    """

    data: AnyMap
    params: AnyMap = None


class Unregister(Struct, frozen=True):
    """`code`: the code of the site's template."""

    code: AnyText


_read_more = ParamsReader(More)


@demos.method(
    "landing.demos.register",
    right="access to sites",
    writes=True,
    errors=[
        ErrorArgument,
        RegisterErrorData,
        ContentIsBad,
        EmptyRequired,
        AccessDenied,
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

    `data` is in the format that landing.site.fullExport answers. landing.landing.addByTemplate
    makes pages of `<site's code>/<page's code>`, with the blocks of types that there are: they
    get what `nodes` and `attrs` say, or, of an export of this service, the whole HTML; either is
    sanitised. Earlier templates of the same code that the caller registered are removed. Needs
    access to sites; to change another user's template is for administrators.
    """
    call.look(require_access)
    sites = _sites(params.data)
    with as_arguments():
        more = _read_more(map_argument(params.params, "params"), "params")
    given = [read_site(each) for each in sites]
    templates = call.look(lambda inside: [_made(inside, site) for site in given])
    return [
        template_id
        for site, made in zip(given, templates, strict=True)
        for template_id in save_templates(call, site, made, more)
    ]


def _made(call: Call, site: Sequence[Given]) -> dict[str, PageTemplate]:
    """Make the templates of a site's pages, which takes its time: nobody waits for it."""
    return {each.xml_id: page_template(call, each) for each in site if each.is_page}


@demos.method(
    "landing.demos.unregister",
    right="access to sites",
    writes=True,
    errors=[MissingParams, AccessDenied],
    example=Example({"code": "regatta"}, result=False),
)
def unregister(call: Call, params: Unregister) -> bool:
    """Remove a site's template, and those of its pages; false where there is none of this code.

    Pages that were made of them stay. Needs access to sites; to remove another user's template is
    for administrators.
    """
    require_access(call)
    return isinstance(params.code, str) and remove_templates(call, params.code)


def _sites(data: Any) -> list[Any]:
    if not isinstance(data, dict | list):
        raise ErrorArgument("data", "Parameter 'data' must be an object, or an array of them.")
    sites = data if isinstance(data, list) else [data]
    if not sites or not all(sites) or len(sites) > _MOST_SITES:
        raise RegisterErrorData(f"Data must be a site, or 1 to {_MOST_SITES} of them.")
    return sites
