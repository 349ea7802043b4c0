"""`app.info`: a description of the calling app."""

from msgspec import Struct

from landyard import Call, Example
from landyard_apps.group import Nothing, calling_app, group
from landyard_landing import errors
from landyard_oauth import find_app


class AppInfo(Struct, frozen=True, rename=str.upper):
    """A description of an app. Local apps are always installed, free and of version 1."""

    id: int
    code: str
    version: int = 1
    status: str = "L"
    installed: bool = True
    payment_expired: str = "N"
    days: int | None = None
    language_id: str = "en"
    license: str = ""
    license_type: str = ""
    license_family: str = ""


@group.method(
    "app.info",
    errors=[errors.AccessDenied],
    example=Example(
        {},
        result={
            "ID": 1,
            "CODE": "local.0123456789abcd.01234567",
            "VERSION": 1,
            "STATUS": "L",
            "INSTALLED": True,
            "PAYMENT_EXPIRED": "N",
            "DAYS": None,
            "LANGUAGE_ID": "en",
            "LICENSE": "",
            "LICENSE_TYPE": "",
            "LICENSE_FAMILY": "",
        },
    ),
)
def app_info(call: Call, _params: Nothing) -> AppInfo:
    """Describe the app whose access token the call carries; `CODE` is its `client_id`."""
    app_id = calling_app(call)
    app = find_app(call.session, app_id)
    if app is None:  # revoked between authentication and this query
        raise errors.AccessDenied("The app is revoked.")
    return AppInfo(app_id, app.client_id)
