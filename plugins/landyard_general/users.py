"""`profile`, `user.current` and `user.admin`: descriptions of the calling user."""

from msgspec import Struct

from landyard import Call, Example, Settings
from landyard_general.groups import Nothing, general, user


class Profile(Struct, frozen=True, rename=str.upper):
    """A user's public profile; `NAME` is the first word of the name."""

    id: str
    admin: bool
    name: str
    last_name: str
    personal_gender: str = ""
    time_zone: str = ""


class CurrentUser(Struct, frozen=True, rename=str.upper):
    """A user; fields that are not stored are empty. Times are ISO 8601."""

    id: str
    name: str
    last_name: str
    last_activity_date: str
    active: bool = True
    xml_id: str = ""
    second_name: str = ""
    title: str = ""
    email: str = ""
    last_login: str = ""
    date_register: str = ""
    time_zone: str = ""
    is_online: str = "Y"
    personal_gender: str = ""
    user_type: str = "employee"
    uf_department: list[int] = []


@general.method(
    "profile",
    example=Example(
        {},
        result={
            "ID": "1",
            "ADMIN": True,
            "NAME": "Demo",
            "LAST_NAME": "",
            "PERSONAL_GENDER": "",
            "TIME_ZONE": "",
        },
    ),
)
def profile(call: Call, _params: Nothing) -> Profile:
    """Answer the caller's name, and whether the caller is an administrator."""
    name, last_name = _names(call)
    return Profile(str(call.actor.user_id), call.actor.admin, name, last_name)


@general.method("user.admin", quick=True, example=Example({}, result=True))
def user_admin(call: Call, _params: Nothing) -> bool:
    """Answer whether the caller is an administrator."""
    return call.actor.admin


@user.method(
    "user.current",
    example=Example(
        {},
        result={
            "ID": "1",
            "NAME": "Demo",
            "LAST_NAME": "",
            "LAST_ACTIVITY_DATE": "2026-11-23T09:30:00+00:00",
            "ACTIVE": True,
            "XML_ID": "",
            "SECOND_NAME": "",
            "TITLE": "",
            "EMAIL": "",
            "LAST_LOGIN": "",
            "DATE_REGISTER": "",
            "TIME_ZONE": "",
            "IS_ONLINE": "Y",
            "PERSONAL_GENDER": "",
            "USER_TYPE": "employee",
            "UF_DEPARTMENT": [],
        },
    ),
)
def user_current(call: Call, _params: Nothing) -> CurrentUser:
    """Describe the calling user.

    Only the name is stored; address, gender and department are empty.
    """
    name, last_name = _names(call)
    now = call.now().astimezone(call.settings(Settings).zone)
    return CurrentUser(str(call.actor.user_id), name, last_name, now.isoformat(timespec="seconds"))


def _names(call: Call) -> tuple[str, str]:
    first, _, rest = call.actor.name.partition(" ")
    return first, rest
