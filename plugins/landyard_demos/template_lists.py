"""`landing.demos.getSiteList` and `getPageList`: the templates that there are, by their codes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, to_builtins
from sqlalchemy import bindparam, select

from landyard import (
    Call,
    Example,
    MissingParams,
    Prepared,
    SystemFailure,
    WrongType,
    as_list,
    read_boolean,
    read_text,
)
from landyard_demos.group import demos
from landyard_demos.tables import TEMPLATE
from landyard_landing import (
    AccessDenied,
    AnyMap,
    AnyText,
    ErrorArgument,
    PageTemplate,
    SiteTemplate,
    list_templates,
    map_argument,
    require_access,
    safe_addresses,
)

_ERRORS = (ErrorArgument, MissingParams, AccessDenied, WrongType, SystemFailure)
_PARTS = ("id", "xml_id", "type", "title", "description", "preview", "preview2x", "preview3x")
_REGISTERED = Prepared(
    select(*(TEMPLATE[name] for name in _PARTS), TEMPLATE.manifest)
    .where(TEMPLATE.tpl_type == bindparam("of_kind"), TEMPLATE.active, TEMPLATE.show_in_list)
    .order_by(TEMPLATE.id)
)

_ENCODING = {"encoded": True, "charset": "UTF-8"}
"""Keys of the data of built-in templates, about its texts."""
_HIDDEN = Prepared(select(TEMPLATE.xml_id).where(~TEMPLATE.show_in_list), str)


class GetList(Struct, frozen=True):
    """`type`: the type of sites that the templates are for; `filter`: values by field."""

    type: AnyText
    filter: AnyMap = None


class Offered(Struct, frozen=True, rename="upper"):
    """A template as it is offered; `REST` is the id of one that was registered, else 0."""

    id: str
    xml_id: str
    type: list[str]
    title: str
    description: str
    data: dict[str, Any]
    preview: str = ""
    preview2x: str = ""
    preview3x: str = ""
    app_code: str = ""
    rest: int = 0
    active: bool = True
    publication: bool = False
    lock_delete: bool = False
    available: bool = True
    singleton: bool = False
    section: list[str] = []


@demos.method(
    "landing.demos.getPageList",
    right="access to sites",
    errors=_ERRORS,
    example=Example({"type": "page", "filter": {"ID": "nothing"}}, result={}),
)
def get_page_list(call: Call, params: GetList) -> dict[str, Offered]:
    """List the templates of pages for sites of a type, by what addByTemplate takes as `code`.

    `filter` holds values that fields of the answer must have. Needs access to sites.
    """
    return _offered(call, params, {**_stored(call), **_registered(call, "P")})


@demos.method(
    "landing.demos.getSiteList",
    right="access to sites",
    errors=_ERRORS,
    example=Example({"type": "page", "filter": {"ID": "nothing"}}, result={}),
)
def get_site_list(call: Call, params: GetList) -> dict[str, Offered]:
    """List the templates of sites of a type, by their codes.

    They are what plugins bring, of which landyard.site.fromtemplate makes sites, and what calls
    have registered. `filter` is as of landing.demos.getPageList. Needs access to sites.
    """
    return _offered(call, params, {**_brought(call), **_registered(call, "S")})


def _offered(call: Call, params: GetList, found: Mapping[str, Offered]) -> dict[str, Offered]:
    if not isinstance(params.type, str):
        raise ErrorArgument("type", "Parameter 'type' must be a string.")
    wanted = map_argument(params.filter, "filter")
    require_access(call)
    kind = params.type.upper()
    asked = [(name, *_asked(name, value)) for name, value in wanted.items()]
    return {
        code: each
        for code, each in found.items()
        if kind in each.type and all(_has(each, field, values) for _, field, values in asked)
    }


def _asked(name: str, value: Any) -> tuple[str, list[Any]]:
    """Read a condition of the filter: the field, and the values that it may have."""
    field, where = name.lstrip("=").lower(), f"filter.{name[:80]}"
    if field not in _KINDS:
        raise WrongType.of(where, "a field of the answer")
    several = as_list(value) if field in _LISTS else [value]
    values = several if isinstance(several, list) else [several]
    return field, [_KINDS[field](each, where) for each in values]


def _text(value: Any, name: str) -> str:
    return read_text(value, name).upper()


_LISTS = {"type", "section"}
_KINDS: dict[str, Callable[[Any, str], Any]] = {
    field.name: read_boolean if field.type is bool else _text
    for field in msgspec.structs.fields(Offered)
    if field.name != "data"
}
"""How a value is read that a field of the answer shall have, by the field."""


def _has(offered: Offered, field: str, wanted: list[Any]) -> bool:
    found = getattr(offered, field)
    if isinstance(found, bool):
        return found in wanted
    if not isinstance(found, list):
        return str(found).upper() in wanted
    return not {*wanted}.isdisjoint(map(str.upper, found)) or found == wanted == []


def _stored(call: Call) -> dict[str, Offered]:
    """Describe the templates that pages can be made of, but those that are not to be listed."""
    hidden = {*_HIDDEN.all(call.connection)}
    found = list_templates(call.connection, call.records(SiteTemplate))
    return {each.code: _described(each) for each in found if each.code not in hidden}


def _described(template: PageTemplate) -> Offered:
    items = {f"#block{n}": {"code": each.code} for n, each in enumerate(template.blocks, 1)}
    said = {"code": template.code, "name": template.title, "type": [template.type]}
    return Offered(
        id=template.code,
        xml_id=template.code,
        type=[template.type],
        title=template.title,
        description=template.description,
        data={
            **said,
            **_ENCODING,
            "active": True,
            "items": items,
            "fields": to_builtins(template.fields),
        },
        lock_delete=template.locked,
    )


def _brought(call: Call) -> dict[str, Offered]:
    """Describe the templates of whole sites that plugins bring."""
    found = call.records(SiteTemplate).values()
    return {each.code: _described_site(each) for each in found if each.is_site}


def _described_site(site: SiteTemplate) -> Offered:
    said = {"code": site.code, "name": site.title, "type": [site.site_type], "active": True}
    return Offered(
        id=site.code,
        xml_id=site.code,
        type=[site.site_type],
        title=site.title,
        description=site.description,
        data={
            **said,
            **_ENCODING,
            "items": {page.code: _described(page).data for page in site.pages},
        },
    )


def _registered(call: Call, kind: str) -> dict[str, Offered]:
    return dict(_read_registered(call, kind))


def _read_registered(call: Call, kind: str) -> Iterator[tuple[str, Offered]]:
    for row in _REGISTERED.all(call.connection, of_kind=kind):
        template_id, xml_id, of_type, title, description, *previews, manifest = row
        told = safe_addresses({"preview": previews, "data": manifest})
        small, middle, large = told["preview"]
        yield (
            xml_id,
            Offered(
                id=xml_id,
                xml_id=xml_id,
                type=[of_type.upper()],
                title=title,
                description=description or "",
                data=told["data"],
                preview=small,
                preview2x=middle,
                preview3x=large,
                rest=template_id,
            ),
        )
