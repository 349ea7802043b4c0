"""Methods for bindings of sites to groups and menus, which the service does not have."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, WrongType
from landyard_landing import errors, rights
from landyard_sites.group import site_methods
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
    """A binding of a site to a group or menu."""

    entity_id: str
    entity_type: str
    binding_id: str
    title: str
    public_url: str


@site_methods.method(
    "landing.site.bindingToGroup",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied],
    example=Example({"id": 1, "groupId": 174}, result=False),
)
def binding_to_group(call: Call, params: OfGroup) -> bool:
    """Answer false: the service has no groups of users to bind a site to.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, rights.Right.EDIT, every_type=True)
    return False


@site_methods.method(
    "landing.site.unbindingFromGroup",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied],
    example=Example({"id": 1, "groupId": 174}, result=False),
)
def unbinding_from_group(call: Call, params: OfGroup) -> bool:
    """Answer false: the service has no groups of users, so the site is not bound.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, rights.Right.EDIT, every_type=True)
    return False


@site_methods.method(
    "landing.site.getGroupBindings",
    right="access to sites",
    errors=[WrongType, errors.AccessDenied],
    example=Example({"groupId": 174}, result=[]),
)
def get_group_bindings(call: Call, params: GetGroupBindings) -> list[Binding]:  # noqa: ARG001
    """Answer an empty list: the service has no groups of users."""
    rights.viewing(call, None)
    return []


@site_methods.method(
    "landing.site.bindingToMenu",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied],
    example=Example({"id": 1, "menuCode": "crm_switcher:deal"}, result=False),
)
def binding_to_menu(call: Call, params: OfMenu) -> bool:
    """Answer false: the service has no menus of applications to bind a site to.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, rights.Right.EDIT, every_type=True)
    return False


@site_methods.method(
    "landing.site.unbindingFromMenu",
    right="edit",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied],
    example=Example({"id": 1, "menuCode": "crm_switcher:deal"}, result=False),
)
def unbinding_from_menu(call: Call, params: OfMenu) -> bool:
    """Answer false: the service has no menus of applications, so the site is not bound.

    Needs the right to edit the site.
    """
    require_site(call, params.site_id, None, rights.Right.EDIT, every_type=True)
    return False


@site_methods.method(
    "landing.site.getMenuBindings",
    right="access to sites",
    errors=[WrongType, errors.AccessDenied],
    example=Example({"menuCode": "crm_switcher:deal"}, result=[]),
)
def get_menu_bindings(call: Call, params: GetMenuBindings) -> list[Binding]:  # noqa: ARG001
    """Answer an empty list: the service has no menus of applications."""
    rights.viewing(call, None)
    return []
