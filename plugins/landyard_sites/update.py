"""`landing.site.update`: change a site's fields."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from landyard import Call, CallError, Example, Id, MissingParams, NeededId, ParamsReader
from landyard_landing import errors, events, languages, rights, sites
from landyard_sites.add import warn_of_type
from landyard_sites.domains import DOMAIN_ERRORS, read_domain
from landyard_sites.group import site_methods
from landyard_sites.places.sites import (
    HeldSite,
    hold_seen,
    is_free_code,
    own_page,
    read_segment,
    require_site,
    save_site,
)


class CodeIsNotUnique(CallError):
    code = "CODE_IS_NOT_UNIQUE"
    text = "Another site, or the service itself, has this address."


class Fields(Struct, frozen=True, rename="upper"):
    """The sent fields; others stay unchanged."""

    title: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    domain_id: Annotated[
        Any, Meta(description="string or integer", extra_json_schema={"type": "string"})
    ] = UNSET
    description: str | UnsetType = UNSET
    xml_id: str | UnsetType = UNSET
    landing_id_index: Id | UnsetType = UNSET
    landing_id_404: Id | UnsetType = UNSET
    landing_id_503: Id | UnsetType = UNSET
    tpl_id: Id | UnsetType = UNSET
    lang: str | UnsetType = UNSET
    additional_fields: dict[str, Any] | UnsetType = UNSET


class Update(Struct, frozen=True):
    """`id`: a site's id; `fields`: new values by the fields' names."""

    site_id: NeededId = field(name="id")
    fields: Annotated[dict[str, Any], Fields]
    scope: str | None = None


_read_fields = ParamsReader(Fields, lenient=True)
_PAGES = {
    "landing_id_index": "main_page_id",
    "landing_id_404": "page_404_id",
    "landing_id_503": "page_503_id",
}


@site_methods.method(
    "landing.site.update",
    right="settings",
    writes=True,
    errors=[
        MissingParams,
        errors.AccessDenied,
        *DOMAIN_ERRORS,
        CodeIsNotUnique,
        errors.SlashIsNotAllowed,
    ],
    example=Example({"id": 1, "fields": {"TITLE": "Harbour", "LANDING_ID_404": 12}}, result=True),
)
def update(call: Call, params: Update) -> bool:
    """Change fields of a site, in the trash or not: all of them, or none.

    `fields`: `TITLE`, `CODE`, `TYPE`, `DOMAIN_ID`, `DESCRIPTION`, `XML_ID`, `ADDITIONAL_FIELDS`,
    and `LANDING_ID_INDEX`, `LANDING_ID_404` and `LANDING_ID_503`: pages of the site, 0 for none.
    The first is the main page, the second is shown at unknown addresses of the site, the third is
    stored but not used. `TPL_ID` is the frame of its pages, from landing.template.getlist, 0 for
    none. An empty `DOMAIN_ID` removes the site's domain. `LANG` is the language of its pages, such
    as `de` or `pt-BR`, which also sets their writing direction; a page may have its own.
    `ADDITIONAL_FIELDS` are merged; an empty text clears one. Needs the right to change settings.
    """
    require_site(call, params.site_id, params.scope, rights.Right.SETTINGS, trash=True)
    fields = _read_fields(params.fields, "fields")
    sites.lock_referenced_pages(
        call.connection, [getattr(fields, name) for name in _PAGES], params.site_id
    )
    site = hold_seen(call, params.site_id, trash=True)
    values = _values(call, site, fields, params.scope)
    if values:
        save_site(call, site.id, values)
        events.announce_site(call, "changed", site.id)
    return True


def _values(call: Call, site: HeldSite, fields: Fields, scope: str | None) -> dict[str, Any]:
    """Return the new values of columns from the sent fields."""
    values: dict[str, Any] = {
        "title": fields.title,
        "description": fields.description,
        "xml_id": fields.xml_id,
        "type": _type(call, fields, scope),
        "code": _code(call, site, fields),
        **_pages(call, site, fields),
    }
    if not isinstance(fields.tpl_id, UnsetType):
        values["view_template"] = fields.tpl_id or None
    if fields.domain_id not in (UNSET, None):
        values["domain"] = read_domain(call, fields.domain_id, site.id)
    if not isinstance(fields.lang, UnsetType):
        values["language"] = languages.require_language(fields.lang) or languages.USUAL_LANGUAGE
    if not isinstance(fields.additional_fields, UnsetType):
        values["additional_fields"] = sites.merge_additional(
            site.additional_fields, fields.additional_fields
        )
    return {column: value for column, value in values.items() if value is not UNSET}


def _type(call: Call, fields: Fields, scope: str | None) -> str | UnsetType:
    if isinstance(fields.type, UnsetType):
        return UNSET
    if fields.type.upper() not in sites.SITE_TYPES:
        warn_of_type(call, fields.type)
        return UNSET
    kind = fields.type.upper()
    if kind not in rights.site_types(scope):
        raise errors.AccessDenied("fields.TYPE: a site of this type is not of this `scope`.")
    return kind


def _code(call: Call, site: HeldSite, fields: Fields) -> str | UnsetType:
    if isinstance(fields.code, UnsetType):
        return UNSET
    title = site.title if isinstance(fields.title, UnsetType) else fields.title
    code = read_segment(fields.code, title)
    if code != site.code and not is_free_code(call.connection, code, site.id):
        raise CodeIsNotUnique
    return code


def _pages(call: Call, site: HeldSite, fields: Fields) -> dict[str, int | None]:
    page_ids: dict[str, int | None] = {}
    for name, column in _PAGES.items():
        page_id = getattr(fields, name)
        if page_id is UNSET:
            continue
        if page_id and not own_page(call.connection, site.id, page_id):
            raise errors.AccessDenied(f"fields.{name.upper()}: the site has no such page.")
        page_ids[column] = page_id or None
    return page_ids
