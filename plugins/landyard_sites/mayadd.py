"""`landyard.site.mayadd`: whether the caller may make a site."""

from msgspec import Struct, field

from landyard import Call, Example
from landyard_sites.group import site_methods
from landyard_sites.places.rights import may_add


class MayAdd(Struct, frozen=True):
    """`type`: the type of the new site."""

    type: str = field(default="PAGE")


@site_methods.method(
    "landyard.site.mayadd",
    right="none",
    errors=[],
    example=Example({}, result=True),
)
def may_add_site(call: Call, params: MayAdd) -> bool:
    """Answer whether the caller has the right to make a site of a type.

    The limit of sites is not considered; landing.site.add checks it.
    """
    return may_add(call.connection, call.actor, params.type.upper())
