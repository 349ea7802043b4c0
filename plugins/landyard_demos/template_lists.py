"""`landing.demos.getSiteList` and `getPageList`: the available templates by their codes."""

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
from landyard_content import pages
from landyard_demos.group import demos
from landyard_demos.tables import TEMPLATE
from landyard_html.registered_addresses import safe_addresses
from landyard_landing import arguments, errors, rights

_ERRORS = (arguments.ErrorArgument, MissingParams, errors.AccessDenied, WrongType, SystemFailure)
_PARTS = ("id", "xml_id", "type", "title", "description", "preview", "preview2x", "preview3x")
_REGISTERED = Prepared(
    select(*(TEMPLATE[name] for name in _PARTS), TEMPLATE.manifest)
    .where(TEMPLATE.tpl_type == bindparam("of_kind"), TEMPLATE.active, TEMPLATE.show_in_list)
    .order_by(TEMPLATE.id)
)

_ENCODING = {"encoded": True, "charset": "UTF-8"}
"""Keys in the data of built-in templates that describe the encoding of texts."""
_HIDDEN = Prepared(select(TEMPLATE.xml_id).where(~TEMPLATE.show_in_list), str)


class GetList(Struct, frozen=True):
    """`type`: the type of sites for which templates are listed; `filter`: values by field."""

    type: arguments.AnyText
    filter: arguments.AnyMap = None


class Offered(Struct, frozen=True, rename="upper"):
    """A template in a list; `REST` is the id of a registered template, else 0."""

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
    """List the page templates for sites of a type, by the `code` for addByTemplate.

    `filter` holds the required values of fields of the answer. Needs access to sites.
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

    The list has the templates of plugins, usable in landyard.site.fromtemplate, and registered
    templates. `filter` is as in landing.demos.getPageList. Needs access to sites.
    """
    return _offered(call, params, {**_from_plugins(call), **_registered(call, "S")})


def _offered(call: Call, params: GetList, templates: Mapping[str, Offered]) -> dict[str, Offered]:
    if not isinstance(params.type, str):
        raise arguments.ErrorArgument("type", "Parameter 'type' must be a string.")
    filters = arguments.map_argument(params.filter, "filter")
    rights.require_access(call)
    kind = params.type.upper()
    conditions = [_condition(name, value) for name, value in filters.items()]
    return {
        code: each
        for code, each in templates.items()
        if kind in each.type and all(_has(each, field, values) for field, values in conditions)
    }


def _condition(name: str, value: Any) -> tuple[str, list[Any]]:
    """Return a condition of the filter: the field and its allowed values."""
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
"""The readers of filter values, by the field of the answer."""


def _has(offered: Offered, field: str, allowed: list[Any]) -> bool:
    value = getattr(offered, field)
    if isinstance(value, bool):
        return value in allowed
    if not isinstance(value, list):
        return str(value).upper() in allowed
    return not {*allowed}.isdisjoint(map(str.upper, value)) or value == allowed == []


def _stored(call: Call) -> dict[str, Offered]:
    """Return the stored page templates, except hidden ones."""
    hidden = {*_HIDDEN.all(call.connection)}
    templates = pages.list_templates(call.connection, call.records(pages.SiteTemplate))
    return {each.code: _described(each) for each in templates if each.code not in hidden}


def _described(template: pages.PageTemplate) -> Offered:
    items = {f"#block{n}": {"code": each.code} for n, each in enumerate(template.blocks, 1)}
    head = {"code": template.code, "name": template.title, "type": [template.type]}
    return Offered(
        id=template.code,
        xml_id=template.code,
        type=[template.type],
        title=template.title,
        description=template.description,
        data={
            **head,
            **_ENCODING,
            "active": True,
            "items": items,
            "fields": to_builtins(template.fields),
        },
        lock_delete=template.locked,
    )


def _from_plugins(call: Call) -> dict[str, Offered]:
    """Return the templates of whole sites from plugins."""
    templates = call.records(pages.SiteTemplate).values()
    return {each.code: _described_site(each) for each in templates if each.is_site}


def _described_site(site: pages.SiteTemplate) -> Offered:
    head = {"code": site.code, "name": site.title, "type": [site.site_type], "active": True}
    return Offered(
        id=site.code,
        xml_id=site.code,
        type=[site.site_type],
        title=site.title,
        description=site.description,
        data={
            **head,
            **_ENCODING,
            "items": {page.code: _described(page).data for page in site.pages},
        },
    )


def _registered(call: Call, kind: str) -> dict[str, Offered]:
    return dict(_read_registered(call, kind))


def _read_registered(call: Call, kind: str) -> Iterator[tuple[str, Offered]]:
    for row in _REGISTERED.all(call.connection, of_kind=kind):
        template_id, xml_id, of_type, title, description, *previews, manifest = row
        safe = safe_addresses({"preview": previews, "data": manifest})
        small, middle, large = safe["preview"]
        yield (
            xml_id,
            Offered(
                id=xml_id,
                xml_id=xml_id,
                type=[of_type.upper()],
                title=title,
                description=description or "",
                data=safe["data"],
                preview=small,
                preview2x=middle,
                preview3x=large,
                rest=template_id,
            ),
        )
