"""`landing.site.getPublicUrl`: the public URLs of sites (P11)."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import (
    Call,
    Example,
    Ids,
    MissingParams,
    ParamsReader,
    SystemFailure,
    WrongType,
    as_list,
)
from landyard_landing import errors, rights
from landyard_sites.addresses import public_urls
from landyard_sites.group import site_methods
from landyard_sites.places.lists import seen_sites


class GetPublicUrl(Struct, frozen=True):
    """`id`: a site's id, or an array of several."""

    site_ids: Annotated[
        Any,
        Meta(
            description="integer or array of integers",
            extra_json_schema={"type": ["integer", "string", "array"]},
        ),
    ] = field(name="id")
    scope: str | None = None


class _SiteIds(Struct, frozen=True):
    id: Ids = ()


_read = ParamsReader(_SiteIds)


@site_methods.method(
    "landing.site.getPublicUrl",
    right="view",
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"id": [1]}, result={"1": "http://127.0.0.1:8000/demo"}),
)
def get_public_url(call: Call, params: GetPublicUrl) -> str | dict[str, str]:
    """Return the public URL of a site, or of several by their ids, without a slash at the end.

    For a single site that is missing, or that the caller may not view, it is empty; among several,
    such sites are left out.
    """
    site_ids = _read({"id": params.site_ids}).id
    values = rights.viewing(call, params.scope)
    urls = public_urls(call, seen_sites(call.connection, site_ids, values))
    if isinstance(as_list(params.site_ids), list):
        return {str(site_id): urls[site_id] for site_id in site_ids if site_id in urls}
    return next(iter(urls.values()), "")
