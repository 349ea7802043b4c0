"""`landing.site.setRights`: set the rights of users on a site."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, Example, Irreversible, MissingParams, NeededId, as_list
from landyard_landing import errors, events
from landyard_landing.rights import Right, read_rights, users_of_codes
from landyard_sites.group import site_methods
from landyard_sites.places.rights import replace_rights
from landyard_sites.places.sites import hold_site


class SetRights(Struct, frozen=True):
    """`id`: a site's id; `rights`: lists of rights by access code, `U12` for user 12."""

    site_id: NeededId = field(name="id")
    rights: Annotated[
        Any,
        Meta(description="object", extra_json_schema={"type": ["object", "array"], "items": {}}),
    ] = None


@site_methods.method(
    "landing.site.setRights",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, errors.AccessDenied, errors.IsNotAdmin, errors.FeatureNotAvail],
    example=Example(
        {"id": 1, "rights": {"AU": ["read"], "U2": ["read", "edit", "sett", "public"]}},
        result=True,
    ),
)
def set_rights(call: Call, params: SetRights) -> bool:
    """Replace the rights that users have on a single site.

    `rights` holds lists by access code: `U<id>` is a user, `AU` and `UA` all users who have access
    to sites now. The rights are `read`, `edit`, `sett`, `public` and `delete`; `denied`, or an
    empty list, is none. A user with several codes has the rights of all. Codes of groups,
    departments and unknown users are ignored, and named in the answer's header `Landyard-Warning`.
    Other users have their default rights for all sites. For administrators.
    """
    if not call.actor.admin:
        raise errors.IsNotAdmin
    sent = params.rights
    if as_list(sent) in (None, []):
        sent = {}
    if not isinstance(sent, dict):
        raise MissingParams.named(["rights"])
    site = hold_site(call, params.site_id, None, Right.SETTINGS, every_type=True, trash=True)
    users = users_of_codes(call.connection, sent.keys())
    rights_by_user: dict[int, Right] = {}
    for code, user_ids in users.items():
        rights = read_rights(call, _listed(sent[code]))
        for user_id in user_ids:
            rights_by_user[user_id] = rights_by_user.get(user_id, Right(0)) | rights
    ignored = [code for code in sent if code not in users]
    if ignored:
        names = ", ".join(ignored)[:200]
        call.warn(f"unknown access codes were ignored: {names}")
    replace_rights(call.connection, site.id, rights_by_user)
    events.announce_site(call, "changed", site.id)
    return True


def _listed(rights: Any) -> list[Any]:
    names = as_list(rights)
    return names if isinstance(names, list) else [names]
