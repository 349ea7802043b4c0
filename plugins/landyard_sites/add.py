"""`landing.site.add`: make a site."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, CallError, Example, Id, MissingParams, ParamsReader, WrongType
from landyard_landing import errors, events, languages, rights, sites
from landyard_sites.domains import DOMAIN_ERRORS, read_domain
from landyard_sites.group import site_methods
from landyard_sites.places.limits import has_room, one_at_a_time
from landyard_sites.places.rights import may_add
from landyard_sites.places.sites import add_site, read_segment


class SiteLimitReached(CallError):
    code = "SITE_LIMIT_REACHED"
    text = "The limit of sites is reached; delete a site first."


class Fields(Struct, frozen=True):
    """`TITLE`: the site's title; `CODE`: its address, made from the title if empty.

    `TYPE`: PAGE, unless `scope` names another; `DOMAIN_ID`: its own domain; `TPL_ID`: the frame of
    its pages, from landing.template.getlist; `LANG`: the language of its pages, such as `de` or
    `pt-BR`, en if empty.
    """

    title: str = field(name="TITLE")
    code: str = field(name="CODE", default="")
    type: str = field(name="TYPE", default="")
    domain: Annotated[
        Any, Meta(description="string or integer", extra_json_schema={"type": "string"})
    ] = field(name="DOMAIN_ID", default=None)
    description: str = field(name="DESCRIPTION", default="")
    xml_id: str = field(name="XML_ID", default="")
    tpl_id: Id = field(name="TPL_ID", default=0)
    lang: str = field(name="LANG", default="")
    additional: dict[str, Any] = field(name="ADDITIONAL_FIELDS", default_factory=dict)


class Add(Struct, frozen=True):
    """`fields`: the site's values by the fields' names."""

    fields: Annotated[dict[str, Any], Fields]
    scope: str | None = None


_read_fields = ParamsReader(Fields, lenient=True)


@site_methods.method(
    "landing.site.add",
    right="edit, as the default for all sites",
    writes=True,
    errors=[
        MissingParams,
        errors.AccessDenied,
        SiteLimitReached,
        *DOMAIN_ERRORS,
        errors.SlashIsNotAllowed,
    ],
    example=Example(
        {"fields": {"TITLE": "Support", "CODE": "support", "DESCRIPTION": "Help yourself"}},
        result=3,
    ),
)
def add(call: Call, params: Add) -> int:
    """Make a site without pages, and answer its id.

    It is inactive until it, or a page of it, is published. A code in use gets a number appended;
    one of digits only gets the prefix `site`. `DOMAIN_ID` is a host for this site alone. A site of
    type KNOWLEDGE, GROUP or MAINPAGE needs that `scope`. Needs the right to edit as the caller's
    default for all sites, or a role that lets the caller make sites; the caller's rights on the new
    site follow from these.
    """
    try:
        fields = _read_fields(params.fields, "fields")
    except WrongType:  # the only required field; a wrong type counts as missing (C9)
        raise MissingParams.named(["fields.TITLE"]) from None
    if fields.type and fields.type.upper() not in sites.SITE_TYPES:
        warn_of_type(call, fields.type)
    kind = _type(fields, params.scope)
    return make_site(call, fields, kind)


def make_site(call: Call, fields: Fields, kind: str, template: str = "empty") -> int:
    """Make a site of a type, and return its id; `template` is stored as its template code.

    Raises `AccessDenied`, `SiteLimitReached`, `SlashIsNotAllowed`, and the errors of `read_domain`.
    """
    if not may_add(call.connection, call.actor, kind):
        raise errors.AccessDenied(
            "To make a site needs the right to edit as the default for all sites."
        )
    one_at_a_time(call.connection)
    if not has_room(call):
        raise SiteLimitReached
    values = {
        "title": fields.title,
        "type": kind,
        "domain": None if fields.domain is None else read_domain(call, fields.domain),
        "template_code": template,
        "description": fields.description,
        "xml_id": fields.xml_id,
        "view_template": fields.tpl_id or None,
        "additional_fields": sites.merge_additional({}, fields.additional),
        "language": languages.require_language(fields.lang) or languages.USUAL_LANGUAGE,
    }
    site_id = add_site(call, read_segment(fields.code, fields.title), values)
    call.subject = f"site:{site_id}"
    events.announce_site(call, "created", site_id)
    return site_id


def warn_of_type(call: Call, kind: str) -> None:
    """Warn the caller that an unknown type of sites was ignored."""
    types = ", ".join(sorted(sites.SITE_TYPES))
    call.warn(f"'{kind[:40]}' is no type of sites and was ignored; the types are {types}")


def _type(fields: Fields, scope: str | None) -> str:
    """Return the site's type; an unknown one counts as not sent (C9)."""
    sent_type, scoped = fields.type.upper(), (scope or "").upper()
    kind = sent_type if sent_type in sites.SITE_TYPES else scoped or "PAGE"
    if (
        kind not in sites.SITE_TYPES
        or kind != (scoped or kind)
        or kind not in rights.site_types(scope)
    ):
        raise errors.AccessDenied("`scope` must be the type of the site, as in `fields.TYPE`.")
    return kind
