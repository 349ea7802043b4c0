"""`landing.site.setRights`: who may do what with a site."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, Example, Irreversible, MissingParams, NeededId, as_list
from landyard_landing import (
    AccessDenied,
    FeatureNotAvail,
    IsNotAdmin,
    Right,
    SiteChanged,
    announce_site,
    read_rights,
    users_of_codes,
)
from landyard_sites.group import sites
from landyard_sites.places.rights import replace_rights
from landyard_sites.places.sites import hold_site


class SetRights(Struct, frozen=True):
    """`id`: a site's id; `rights`: lists of rights by access code, `U12` for user 12."""

    site_id: NeededId = field(name="id")
    rights: Annotated[
        Any,
        Meta(description="object", extra_json_schema={"type": ["object", "array"], "items": {}}),
    ] = None


@sites.method(
    "landing.site.setRights",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, AccessDenied, IsNotAdmin, FeatureNotAvail],
    example=Example(
        {"id": 1, "rights": {"AU": ["read"], "U2": ["read", "edit", "sett", "public"]}},
        result=True,
    ),
)
def set_rights(call: Call, params: SetRights) -> bool:
    """Give users rights on a site, in place of all that were given on it alone.

    `rights` holds lists by access code: `U<id>` is a user, `AU` and `UA` all users who have access
    to sites now. The rights are `read`, `edit`, `sett`, `public` and `delete`; `denied`, or an
    empty list, is none. A user of several codes has the rights of all. Groups and departments,
    which are not here, and unknown users are passed over, and named in the answer's header
    `Landyard-Warning`. Who is not named has what is the default for all sites. For administrators.
    """
    if not call.actor.admin:
        raise IsNotAdmin
    said = params.rights
    if as_list(said) in (None, []):
        said = {}
    if not isinstance(said, dict):
        raise MissingParams.named(["rights"])
    site = hold_site(call, params.site_id, None, Right.SETTINGS, every_type=True, trash=True)
    users = users_of_codes(call.connection, said.keys())
    given: dict[int, Right] = {}
    for code, who in users.items():
        held = read_rights(call, _listed(said[code]))
        for user_id in who:
            given[user_id] = given.get(user_id, Right(0)) | held
    passed_over = [code for code in said if code not in users]
    if passed_over:
        names = ", ".join(passed_over)[:200]
        call.warn(f"access codes that are not known were passed over: {names}")
    replace_rights(call.connection, site.id, given)
    announce_site(call, SiteChanged, site.id)
    return True


def _listed(rights: Any) -> list[Any]:
    found = as_list(rights)
    return found if isinstance(found, list) else [found]
