"""Sites as their looks are read and changed: the theme, its tokens, and additional fields."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, UnsetType
from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared
from landyard_landing import (
    FAVICON,
    LOGO,
    SITE,
    SOCIAL,
    AccessDenied,
    Right,
    changed_by,
    find_picture,
    find_site,
)

PICTURES = {"logo": LOGO, "favicon": FAVICON, "social": SOCIAL}
"""The additional fields that hold a site's pictures, by their names in calls."""
_NOT_THERE = "Site not found or access to it is denied."


class Dressed(Struct, frozen=True):
    """A site, and what it looks like."""

    id: int
    theme: str
    tokens: Mapping[str, str]
    fields: Mapping[str, Any]


_COLUMNS = (SITE.id, SITE.theme, SITE.theme_tokens, SITE.additional_fields)
_FIND = select(*_COLUMNS).where(SITE.id == bindparam("site_id"))
_READ = Prepared(_FIND, Dressed)
# No key of the row is changed: pages that come to the site need not wait for its end.
_HOLD = Prepared(_FIND.with_for_update(key_share=True), Dressed)
_SAVE = Prepared(update(SITE.id.table).where(SITE.id == bindparam("site_id")))


def seen(call: Call, site_id: int, right: Right, *, hold: bool = False) -> Dressed:
    """Find a site on which the caller has `right`; raises `AccessDenied`."""
    call.subject = f"site:{site_id}"
    site = find_site(call, site_id, None, every_type=True, trash=hold)
    if site is None:
        raise AccessDenied(_NOT_THERE)
    site.require(right)
    found = (_HOLD if hold else _READ).first(call.connection, site_id=site_id)
    if found is None:  # meanwhile
        raise AccessDenied(_NOT_THERE)
    return found


def held(call: Call, site_id: int, right: Right) -> Dressed:
    """Find a site as `seen` does, in the trash or not, and lock it."""
    return seen(call, site_id, right, hold=True)


def read_pictures(
    call: Call, site: Dressed, given: Mapping[str, str | UnsetType]
) -> tuple[dict[str, Any], str]:
    """Say what a site's additional fields become, and which picture is not there, "" for none."""
    fields = dict(site.fields)
    for name, value in given.items():
        if isinstance(value, UnsetType):
            continue
        path = find_picture(call.connection, site.id, value.strip()) if value.strip() else ""
        if path is None:
            return {}, name
        fields.pop(PICTURES[name], None)
        if path:
            fields[PICTURES[name]] = path
    return fields, ""


def dress(
    call: Call, site: Dressed, theme: str, tokens: Mapping[str, str], fields: Mapping[str, Any]
) -> bool:
    """Write what a site looks like, where that is something new; tell whether it was."""
    if (theme, tokens, fields) == (site.theme, site.tokens, site.fields):
        return False
    values = {"theme": theme, "theme_tokens": dict(tokens), "additional_fields": dict(fields)}
    _SAVE.run(call.connection, site_id=site.id, **values, **changed_by(call))
    return True
