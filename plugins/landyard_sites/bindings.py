"""Bindings of sites to groups and menus of the platform: here are none, and all answer so."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, WrongType
from landyard_landing import AccessDenied, Right, viewing
from landyard_sites.group import sites
from landyard_sites.places.sites import require_site


class OfGroup(Struct, frozen=True):
    """`id`: a site's id; `groupId`: a group's id."""

    site_id: NeededId = field(name="id")
    group_id: int = field(name="groupId")


class OfMenu(Struct, frozen=True):
    """`id`: a site's id; `menuCode`: a menu's code."""

    site_id: NeededId = field(name="id")
    menu_code: str = field(name="menuCode")


class GetGroupBindings(Struct, frozen=True):
    """`groupId`: a group's id, or none for all."""

    group_id: int | None = field(name="groupId", default=None)


class GetMenuBindings(Struct, frozen=True):
    """`menuCode`: a menu's code, or none for all."""

    menu_code: str | None = field(name="menuCode", default=None)


class Binding(Struct, frozen=True, rename="upper"):
    """A site that is shown somewhere else."""

    entity_id: str
    entity_type: str
    binding_id: str
    title: str
    public_url: str


@sites.method(
    "landing.site.bindingToGroup",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied],
    example=Example({"id": 1, "groupId": 174}, result=False),
)
def binding_to_group(call: Call, params: OfGroup) -> bool:
    """Answer false: there are no groups of users here that a site could be bound to.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, Right.EDIT, every_type=True)
    return False


@sites.method(
    "landing.site.unbindingFromGroup",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied],
    example=Example({"id": 1, "groupId": 174}, result=False),
)
def unbinding_from_group(call: Call, params: OfGroup) -> bool:
    """Answer false: the site is not bound to a group, for there are no groups of users here.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, Right.EDIT, every_type=True)
    return False


@sites.method(
    "landing.site.getGroupBindings",
    right="access to sites",
    errors=[WrongType, AccessDenied],
    example=Example({"groupId": 174}, result=[]),
)
def get_group_bindings(call: Call, params: GetGroupBindings) -> list[Binding]:  # noqa: ARG001
    """List nothing: there are no groups of users here that sites are bound to."""
    viewing(call, None)
    return []


@sites.method(
    "landing.site.bindingToMenu",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied],
    example=Example({"id": 1, "menuCode": "crm_switcher:deal"}, result=False),
)
def binding_to_menu(call: Call, params: OfMenu) -> bool:
    """Answer false: there are no menus of applications here that a site could be bound to.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, Right.EDIT, every_type=True)
    return False


@sites.method(
    "landing.site.unbindingFromMenu",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied],
    example=Example({"id": 1, "menuCode": "crm_switcher:deal"}, result=False),
)
def unbinding_from_menu(call: Call, params: OfMenu) -> bool:
    """Answer false: the site is bound to no menu, for there are no menus of applications here.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, Right.EDIT, every_type=True)
    return False


@sites.method(
    "landing.site.getMenuBindings",
    right="access to sites",
    errors=[WrongType, AccessDenied],
    example=Example({"menuCode": "crm_switcher:deal"}, result=[]),
)
def get_menu_bindings(call: Call, params: GetMenuBindings) -> list[Binding]:  # noqa: ARG001
    """List nothing: there are no menus of other applications here that sites are bound to."""
    viewing(call, None)
    return []
